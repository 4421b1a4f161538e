"""Write the public bundle: a release of the texts that may be passed on, and instructions to rebuild the others.

It is a release of the documents of tier A: the queries that are here with an answer, and the relations, pools, counts,
warnings and report of only these documents. `complete/` contains the statements of the complete release without texts,
`tier_b.json` how its corpora were read and the checksums of its files, which `authbench release rebuild` uses.
"""

import heapq
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
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
from authbench.config.registry.source_entry import Source
from authbench.config.settings.publish import Publish
from authbench.core.errors import InputError
from authbench.core.identity import sha256_of_text
from authbench.core.json_values import JsonObject
from authbench.core.storage.atomic import atomic_file, sha256_of_file
from authbench.core.storage.json_files import write_plain_json
from authbench.core.storage.json_lines import line_batches, write_json_lines
from authbench.core.storage.parquet import write_plain_parquet
from authbench.core.storage.sha256sums import SUMS, read_sums
from authbench.publish.export.card import copy_files, text_files, write_card
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
from authbench.release.format.files import BUNDLE_FILES, COMPLETE, WITHHELD
from authbench.release.format.findings import Findings, SourceRow
from authbench.release.format.names import files_of_format
from authbench.release.format.release import Release, open_complete_release
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
    sources = documents["source"].unique().to_list()
    facts |= {
        "withheld": missing,
        "funnel": _funnel(facts["funnel"], withheld),
        "labels": [row for row in facts["labels"] if row["source"] in sources],
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

    A row may name its id twice; `refuse_withheld` therefore parses all rows of the output.
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


_OF_TERMS = ("id", "source", "tier", "content_sha256")
TIER_B, COPY = "tier_b", "copy_of_tier_b"  # why a text is withheld


def write_public(folder: Path, release: Release, about: Publish, sources: Mapping[str, Source]) -> None:
    """Write the public bundle of a release. Memory: as `release.part.part_of`.

    Raises:
        InputError: a config entry gives a source another tier than the release, or a text of tier B would enter the
            bundle.
    """
    sums = _sums_now(release.folder) if release.unverified else read_sums(release.folder)
    provenance = release.read_provenance(_OF_TERMS)
    withheld = withheld_documents(provenance)
    _expect_same_tiers(provenance, withheld, sources)
    if withheld.height:
        write_part(folder, release, withheld)
        copy_files(release.folder, folder / COMPLETE, sums.keys() - text_files(release))
        entries = {tag: sources[tag].entry for tag in sorted(set(withheld["source"]))}
        rebuilding = {"version": 2, "documents": withheld.height, "sources": entries, "files": sums}
        write_plain_json(folder / WITHHELD, rebuilding)
    else:
        copy_files(release.folder, folder, sums)
    public = replace(open_complete_release(folder), unverified=release.unverified)
    write_card(folder, public, about, "public")
    refuse_withheld(folder, withheld, release.splits)


def withheld_documents(provenance: pl.DataFrame) -> pl.DataFrame:
    """Return id, source, content_sha256 and `reason` of the documents that are not passed on.

    These are the documents of tier B, and every document with the same text, whatever its terms.
    """
    tier_b = pl.col("tier") == "B"
    said = provenance.filter(tier_b)["content_sha256"].implode()
    reason = pl.when(tier_b).then(pl.lit(TIER_B)).otherwise(pl.lit(COPY))
    return provenance.filter(tier_b | pl.col("content_sha256").is_in(said)).select(
        "id", "source", "content_sha256", reason=reason
    )


def _sums_now(folder: Path) -> dict[str, str]:
    return {path: sha256_of_file(folder / path) for path in files_of_format(folder) if path not in BUNDLE_FILES}


def _expect_same_tiers(provenance: pl.DataFrame, withheld: pl.DataFrame, sources: Mapping[str, Source]) -> None:
    """Raise InputError if entries have other tiers than the release, or an entry for rebuilding is missing."""
    needed = set(withheld["source"])
    for tag, tier in provenance.select("source", "tier").unique().sort("source").iter_rows():
        source = sources.get(tag)
        if tag in needed and source is None:
            raise InputError(
                f"{tag}: config/sources has no entry of this source, by which others could rebuild its texts."
            )
        if source is not None and source.license.tier != tier:
            raise InputError(
                f"{tag} is of tier {tier} in the release, of {source.license.tier} in config/sources/{tag}.yaml. "
                "Build the release anew."
            )


def refuse_withheld(folder: Path, withheld: pl.DataFrame, splits: Sequence[str]) -> None:
    """Raise InputError if a bundle contains a withheld text, by its id or by its content."""
    if not withheld.height:
        return
    ids, digests = set(withheld["id"]), set(withheld["content_sha256"])
    bundle = open_complete_release(folder)
    known = set(bundle.read_provenance(("id",))["id"])
    for split in splits:
        for table in (CANDIDATES, QUERIES):
            for batch in bundle.rows(split, table):
                for ident, content in batch.select(table.ident, "content").iter_rows():
                    if ident in ids or ident not in known or sha256_of_text(content) in digests:
                        raise InputError(
                            f"{split}/{table.file}: {ident} is a text of tier B, or unknown to the release; it "
                            "must not be passed on, and there is no bundle. Build the release anew."
                        )
