"""Write the files of a release that contains only some documents of another release."""

import heapq
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from authbench.build.release import statistics
from authbench.build.release.manifest import count_documents
from authbench.build.release.part import OF_PROVENANCE, Part, part_of
from authbench.build.release.tables import of_split
from authbench.build.release.warnings import of_the_build, warnings
from authbench.build.release.write import write_bookkeeping
from authbench.build.sample.deviation import discount
from authbench.core.json_values import JsonObject
from authbench.core.storage.atomic import atomic_file
from authbench.core.storage.json_files import write_plain_json
from authbench.core.storage.json_lines import line_batches, write_json_lines
from authbench.core.storage.parquet import write_plain_parquet
from authbench.core.storage.sha256sums import SUMS
from authbench.release.format import files
from authbench.release.format.columns import (
    CANDIDATES,
    GROUND_TRUTH,
    PAIR_TABLES,
    QUERIES,
    STATISTICS,
    TEXT_FIELDS,
    Table,
)
from authbench.release.format.findings import Findings, SourceRow
from authbench.release.format.release import Release
from authbench.release.reading.typed_csv import read_rows
from authbench.reports.report.stated import stated_facts, stated_sources
from authbench.reports.report.write import write_report


def write_part(folder: Path, release: Release, withheld: pl.DataFrame) -> None:
    """Write a release without its withheld documents (id, source, reason) as a separate release, without checksums.

    Counts that only the stages knew (raw files, copies, toxicity rates) are only in the complete release's report. A
    release without bookkeeping, such as a release made elsewhere, stays without it. Memory: as `part_of` with the
    required columns of the provenance, then the whole provenance of the part.
    """
    gone = withheld["id"].implode()
    scored = ["scored"] if "scored" in pl.read_parquet_schema(release.folder / files.PROVENANCE) else []
    known = release.read_provenance([*OF_PROVENANCE, *scored])
    part = part_of(release, known.filter(~pl.col("id").is_in(gone)), folder)
    tables = {
        split: {
            table.name: of_split(rows, split)
            for table, rows in zip(PAIR_TABLES.values(), (part.positives, part.pairs), strict=True)
        }
        for split in release.splits
    }
    part = replace(part, positives=part.positives.clear(), pairs=part.pairs.clear())
    for split in release.splits:
        _write_split(folder / split, release, part, split, tables.pop(split))
    stays = ~release.read_provenance(("id",))["id"].is_in(gone)
    write_plain_parquet(_provenance_of(release, stays), folder / files.PROVENANCE)
    complete = release.read_provenance(_TOLD)
    documents = complete.filter(stays)
    missing = _state_withheld(release, part, withheld, complete["author_id"])
    for name in (files.LOCK, files.CITATIONS, files.MERGED):
        if (release.folder / name).is_file():
            shutil.copyfile(release.folder / name, folder / name)
    if not all((release.folder / name).is_file() for name in _BOOKKEEPING):
        write_plain_json(
            folder / files.MANIFEST, _manifest(release, documents, part, missing, list(release.manifest["warnings"]))
        )
        return
    facts: Any = stated_facts(release)
    sample = release.manifest["config"].get("sample", {})
    facts |= {
        "withheld": missing,
        "funnel": _funnel(facts["funnel"], withheld),
        "labels": [row for row in facts["labels"] if row["source"] in set(documents["source"])],
        "pools": part.pools.to_dicts(),
        "deviation": discount(facts["deviation"], complete, stays, sample),
    }
    _write_bookkeeping(folder, release, documents, part, facts)


# The columns of the provenance from which bookkeeping is made.
_TOLD = (*statistics.COLUMNS, "author_kind", "origin", "names_author", "toxicity")
_BOOKKEEPING = (
    *(files.FUNNEL, files.DEVIATION),
    *(f"statistics/{name}.csv" for name in STATISTICS),
)


def _provenance_of(release: Release, stays: pl.Series) -> pl.DataFrame:
    """Return the whole provenance of the kept documents, read column by column."""
    names = pl.read_parquet_schema(release.folder / files.PROVENANCE)
    read = (release.read_provenance(tuple(dict.fromkeys(("id", name))))[name] for name in names)
    return pl.DataFrame([column.filter(stays).rechunk() for column in read])


def _write_bookkeeping(folder: Path, release: Release, documents: pl.DataFrame, part: Part, facts: Findings) -> None:
    """Write statistics, funnel, deviation, manifest, figures and report; `facts` lacks the new warnings.

    `documents` is the provenance of the part.
    """
    known = stated_sources(release)
    sources = {tag: known[tag] for tag in documents["source"].unique().sort()}
    listed = read_rows(release.folder / "statistics/sources.csv", SourceRow)
    noisy = {row["source"] for row in listed if row["noisy"]} & set(sources)
    warned: Any = {**facts, "ingest": {tag: {"noisy_authors": 1.0} for tag in noisy}}
    found = warnings(warned, documents, part.queries, sources) + of_the_build(facts["warnings"])
    facts = {**facts, "warnings": found}
    tables = statistics.tables(documents, part.queries, release.splits, noisy)
    write_bookkeeping(folder, facts, {**tables, "pools": part.pools})
    write_plain_json(folder / files.MANIFEST, _manifest(release, documents, part, facts["withheld"], found))
    write_report(folder, sources, facts)
    (folder / SUMS).unlink()


def _state_withheld(release: Release, part: Part, withheld: pl.DataFrame, everyone: pl.Series) -> dict[str, object]:
    """Return a bundle manifest's statements about withheld documents; `everyone` are the release's authors."""
    asked = sum(batch.height for split in release.splits for batch in release.rows(split, GROUND_TRUTH))
    authors = set(everyone) - set(part.documents["author_id"])
    return {
        "documents": withheld.height,
        "queries": asked - part.queries.height,
        "authors": len(authors),
        "reasons": dict(sorted(Counter(withheld["reason"]).items())),
    }


def _manifest(
    release: Release, documents: pl.DataFrame, part: Part, missing: Mapping[str, object], warned: list[str]
) -> dict[str, object]:
    manifest, here = release.manifest, set(documents["source"])
    return {
        **manifest,
        **{
            key: {tag: value for tag, value in manifest[key].items() if tag in here}
            for key in ("licences", "fame")
            if key in manifest
        },
        "warnings": warned,
        "withheld": dict(missing),
        **count_documents(documents, part.queries, release.splits),
    }


def _funnel(rows: list[JsonObject], withheld: pl.DataFrame) -> list[dict[str, object]]:
    """Return the rows of a funnel in which the last stage of each source withholds documents."""
    gone = Counter(withheld.select("source", "reason").iter_rows())
    per_source = Counter(withheld["source"])
    last = {row["source"]: row["stage"] for row in rows if row["reason"] == "kept"}
    found = [
        {**row, "documents": row["documents"] - per_source[row["source"]]}
        if row["reason"] == "kept" and row["stage"] == last[row["source"]]
        else row
        for row in rows
    ]
    return found + [
        {"source": source, "stage": last[source], "reason": reason, "documents": many}
        for (source, reason), many in sorted(gone.items())
    ]


def _write_split(folder: Path, release: Release, part: Part, split: str, tables: dict[str, pl.DataFrame]) -> None:
    """Write the tables of a split; texts are the lines of the release that are kept.

    Args:
        tables: the tables of pairs by name; each is removed before it is written, so memory holds it once.
    """
    truth = part.queries.filter(pl.col("split") == split)
    queries = set(truth["query_id"])
    here = set(part.documents.filter(pl.col("split") == split)["id"])
    shared = release.manifest["config"]["release"]["queries_in_candidates"]
    former = [] if shared else _candidates_that_asked(release, split, here - queries)
    _write_lines(folder / CANDIDATES.file, heapq.merge(_lines(release, split, CANDIDATES, here), former))
    _write_lines(folder / QUERIES.file, _lines(release, split, QUERIES, queries))
    ignoring = part.queries["ignored_ids"].list.len().sum() > 0
    columns = [name for name in GROUND_TRUTH.names if ignoring or name in GROUND_TRUTH.required]
    write_json_lines(folder / GROUND_TRUTH.file, truth.select(columns).iter_rows(named=True))
    for table in PAIR_TABLES.values():
        write_plain_parquet(tables.pop(table.name).select(table.names), folder / table.file)


def _lines(release: Release, split: str, table: Table, ids: Set[str]) -> Iterator[tuple[str, bytes]]:
    for _, lines in line_batches(release.path(split, table)):
        for line in lines:
            ident = _ident_of(line, table)
            if ident in ids:
                yield ident, line


def _ident_of(line: bytes, table: Table) -> str:
    """Return the id of a row, without parsing it if the id comes first, as in every release of AuthBench.

    A row may name its id twice; `public.refuse_withheld` therefore parses all rows of the output.
    """
    begin = f'{{"{table.ident}":"'.encode()
    ident = line[len(begin) : line.find(b'"', len(begin))]
    if line.startswith(begin) and b"\\" not in ident:
        return ident.decode()
    return str(orjson.loads(line)[table.ident])


def _candidates_that_asked(release: Release, split: str, ids: Set[str]) -> list[tuple[str, bytes]]:
    """Return the lines, as candidates, of former queries outside the pool (by id)."""
    truth = release.rows(split, GROUND_TRUTH)
    author = {query: name for batch in truth for query, name in batch.select("query_id", "author_id").iter_rows()}
    found = []
    for ident, line in _lines(release, split, QUERIES, ids):
        query = orjson.loads(line)
        row = {CANDIDATES.ident: ident, "author_id": author[ident], **{name: query[name] for name in TEXT_FIELDS}}
        found.append((ident, orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)))
    return found


def _write_lines(path: Path, lines: Iterable[tuple[str, bytes]]) -> None:
    with atomic_file(path) as aside, aside.open("wb") as file:
        file.writelines(line for _, line in lines)
