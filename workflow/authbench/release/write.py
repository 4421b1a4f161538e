"""What exactly do we release?

Numbered documents, queries and ground truth per split, where each document came from, and the facts of the
build. The same documents give the same bytes, in whatever order they come.
"""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

import orjson
import polars as pl

import authbench
from authbench.errors import InputError
from authbench.identity import digest
from authbench.records import REMOVED
from authbench.release.queries import choose_queries
from authbench.report import statistics
from authbench.report.warnings import noisy_share, warnings
from authbench.storage.atomic import atomic_file, write_text
from authbench.storage.json_files import write_plain_json
from authbench.storage.parquet import write_plain_parquet
from authbench.storage.sha256sums import SUMS, checksums

CANDIDATE = ("candidate_id", "author_id", "lang", "genre", "content", "source", "token_length")
QUERY = ("query_id", "lang", "genre", "content", "source", "token_length")
TRUTH = ("query_id", "positive_ids", "author_id")
PROVENANCE = (
    "id",
    "split",
    "source",
    "lang",
    "genre",
    "author_id",
    "author_kind",
    "origin",
    "topic",
    "date",
    "task",
    "n_authors",
    "names_author",
    "licence",
    "tier",
    "file",
    "ordinal",
    "chunk_start",
    "chunk_end",
    "content_sha256",
    "token_length",
    "char_length",
    "length_bucket",
    "toxicity",
)
OURS = frozenset({"statistics", "figures"})
PLACES = frozenset({"raw_dir", "shards"})
HEX = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Release:
    """What a release holds: `documents` sorted by id (with id, origin, content_sha256), `queries`
    (`queries.QUERIES`), the `lock` for later builds, and the documents taken down (`records.REMOVED`)."""

    documents: pl.DataFrame
    queries: pl.DataFrame
    splits: tuple[str, ...]
    queries_in_candidates: bool
    lock: dict[str, Any]
    removed: pl.DataFrame
    takedown: dict[str, int]


def make_release(
    documents: pl.DataFrame,
    settings: Mapping[str, Any],
    split: Mapping[str, Any],
    seed: int,
    lock: Mapping[str, Any] | None = None,
    takedown: Set[str] = frozenset(),
    containment: pl.DataFrame | None = None,
) -> Release:
    """Number the documents, choose the queries, then take down what may not stay.

    `documents` has the DOCUMENT columns, `split` and `toxicity`; `settings` and `split` are the sections
    `release:` and `split:`. A takedown replaces nothing: numbers keep their gaps, every other document, query and
    positive stays, and an author left with fewer texts stays. A query goes when its text or its last positive
    goes; in the disjoint form its text, if it stays, is then a candidate, and a positive where it may be one.
    """
    splits = tuple(split["splits"])
    check_splits(documents, splits)
    numbered = number_documents(
        documents.with_columns(
            mapped(documents["origin_id"], lambda origin: digest("origin", origin)).alias("origin"),
            mapped(documents["content"], sha256).alias("content_sha256"),
        ),
        lock,
    )
    queries = choose_queries(numbered, settings, seed, containment)
    listed = pl.lit(pl.Series(sorted(takedown), dtype=pl.String).implode())
    gone = pl.col("author_id").is_in(listed) | pl.col("content_sha256").is_in(listed)
    taken, kept = numbered.filter(gone), numbered.filter(~gone)
    left = choose_queries(kept, settings, seed, containment, set(queries["query_id"])) if taken.height else queries
    met = takedown & (set(taken["author_id"]) | set(taken["content_sha256"]))
    known = {author for author in takedown if author in (lock or {}).get("authors", {})}
    return Release(
        documents=kept,
        queries=left,
        splits=splits,
        queries_in_candidates=settings["queries_in_candidates"],
        lock=make_lock(numbered, lock, takedown),
        removed=removed_documents(taken),
        takedown={
            "entries": len(takedown),
            "entries_without_a_document": len(takedown - met - known),
            "documents": taken.height,
            "queries": queries.height - left.height,
        },
    )


def check_splits(documents: pl.DataFrame, splits: Sequence[str]) -> None:
    for name in splits:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", name) or name in OURS:
            raise InputError(f"split.splits: {name!r} cannot name a folder. Expected letters, digits, _ and -.")
    unknown = sorted(set(documents["split"].fill_null("(none)")) - set(splits))
    if unknown:
        raise InputError(f"Documents have the splits {unknown}; split.splits names {list(splits)}.")


def number_documents(documents: pl.DataFrame, lock: Mapping[str, Any] | None = None) -> pl.DataFrame:
    """Add `id`, `doc_000000` onwards over (lang, source, author_id, doc_key), and sort by it (plan, section 13.1).

    With the lock of an earlier release, documents it knows keep their number and new ones come after its highest.
    """
    repeated = documents.filter(pl.col("doc_key").is_duplicated())
    if repeated.height:
        raise InputError(f"{repeated.height} documents share a doc_key, the first {repeated['doc_key'].min()!r}.")
    known: Mapping[str, str] = (lock or {}).get("documents", {})
    following = max((number_of(ident) for ident in known.values()), default=-1) + 1
    ordered = documents.sort("lang", "source", "author_id", "doc_key")
    ids = []
    for key in ordered["doc_key"]:
        ident = known.get(sha256(key))
        if ident is None:
            ident, following = f"doc_{following:06d}", following + 1
        ids.append(ident)
    return ordered.with_columns(pl.Series("id", ids, dtype=pl.String)).sort("id")


def number_of(ident: str) -> int:
    if not re.fullmatch(r"doc_\d{6,}", ident):
        raise InputError(f"release.lock holds the id {ident!r}. Expected `doc_` and a number of six digits or more.")
    return int(ident[4:])


def make_lock(
    documents: pl.DataFrame, lock: Mapping[str, Any] | None = None, takedown: Set[str] = frozenset()
) -> dict[str, Any]:
    """What a later build needs to leave authors and ids as they are: author -> split, hash of doc_key -> id.

    An earlier lock goes on in it, so that no number is ever given twice. An author whose texts are spread over
    several splits has no split to keep; an author taken down leaves only his texts' numbers.
    """
    authors = dict((lock or {}).get("authors", {}))
    spread = documents.group_by("author_id").agg(pl.col("split").unique())
    authors |= {author: found[0] for author, found in spread.iter_rows() if len(found) == 1}
    ids = dict((lock or {}).get("documents", {}))
    ids |= {sha256(key): ident for key, ident in documents.select("doc_key", "id").iter_rows()}
    return {
        "version": 1,
        "authors": {author: authors[author] for author in sorted(authors) if author not in takedown},
        "documents": {key: ids[key] for key in sorted(ids)},
    }


def read_takedown(path: str | Path) -> frozenset[str]:
    """Author ids or SHA-256 of contents, one a line; `#` begins a remark."""
    entries = set()
    for number, line in enumerate(Path(path).read_text(encoding="utf-8-sig").splitlines(), start=1):
        entry = line.partition("#")[0].strip().lower()
        if entry and not HEX.fullmatch(entry):
            raise InputError(f"{path}, line {number}: {entry!r} is no author id or SHA-256 (64 hexadecimal digits).")
        entries.add(entry)
    return frozenset(entries - {""})


def removed_documents(taken: pl.DataFrame) -> pl.DataFrame:
    """The rows of `dirty_docs.log` for what was taken down."""
    return taken.select(
        "source",
        "doc_key",
        stage=pl.lit("release"),
        reason=pl.lit("taken_down"),
        value=pl.lit(None, pl.Float64),
        threshold=pl.lit(None, pl.Float64),
        detail=pl.col("id"),
    ).select(REMOVED.names())


def tell(release: Release, sources: Mapping[str, Mapping[str, Any]], facts: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of the stages before, the release's own place in the funnel, and every warning in words."""
    entered = Counter(release.documents["source"]) + Counter(release.removed["source"])
    taken = Counter(release.removed["source"])
    own = [
        {"source": source, "stage": "release", "reason": reason, "documents": count}
        for source in sorted(entered)
        for reason, count in (
            ("in", entered[source]),
            ("taken_down", taken[source]),
            ("kept", entered[source] - taken[source]),
        )
        if count or reason != "taken_down"
    ]
    before = [row for row in facts["funnel"] if row["stage"] != "release"]
    told = {
        **facts,
        "funnel": before + own,
        "deviation": finite(facts["deviation"]),
        "takedown": release.takedown,
        "splits": list(release.splits),
    }
    return {**told, "warnings": warnings(told, release.documents, release.queries, sources)}


def write_release(
    folder: str | Path,
    release: Release,
    measures: pl.DataFrame | None,
    sources: Mapping[str, Mapping[str, Any]],
    facts: Mapping[str, Any],
) -> dict[str, Any]:
    """Write a release, without its figures and report, into `folder`; return what the report is made of.

    `measures` has doc_key and measurements, which join the provenance; `sources` are the source files by tag;
    `facts` is what the stages before found (see `report.render`).
    """
    folder = Path(folder)
    told = tell(release, sources, facts)
    for split in release.splits:
        write_split(folder / split, release, split)
    write_plain_parquet(provenance(release.documents, measures, sources), folder / "provenance.parquet")
    write_plain_json(folder / "release.lock", release.lock)
    write_plain_json(folder / "sampling_deviation.json", told["deviation"])
    funnel = statistics.funnel_table(told["funnel"])
    write_text(folder / "funnel.csv", funnel.write_csv())
    noisy = {tag for tag in sources if noisy_share(tag, sources, told["ingest"])}
    tables = statistics.tables(release.documents, release.queries, release.splits, noisy)
    for name, table in tables.items():
        write_text(folder / "statistics" / f"{name}.csv", table.write_csv())
    write_plain_json(folder / "manifest.json", manifest(release, sources, told))
    write_text(folder / SUMS, checksums(folder))
    return told


def write_split(folder: Path, release: Release, split: str) -> None:
    """`candidates.jsonl`, `queries.jsonl` and `ground_truth.jsonl` of a split (plan, section 15)."""
    documents = release.documents.filter(pl.col("split") == split)
    truth = release.queries.filter(pl.col("split") == split)
    asked = pl.col("id").is_in(truth["query_id"].implode())
    candidates = documents if release.queries_in_candidates else documents.filter(~asked)
    ignoring = release.queries["ignored_ids"].list.len().sum() > 0
    write_jsonl(folder / "candidates.jsonl", candidates.rename({"id": "candidate_id"}).select(CANDIDATE))
    write_jsonl(folder / "queries.jsonl", documents.filter(asked).rename({"id": "query_id"}).select(QUERY))
    write_jsonl(folder / "ground_truth.jsonl", truth.select(*TRUTH, *(["ignored_ids"] if ignoring else [])))


def write_jsonl(path: Path, rows: pl.DataFrame) -> None:
    with atomic_file(path) as aside, aside.open("wb") as file:
        file.writelines(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows.iter_rows(named=True))


def provenance(
    documents: pl.DataFrame, measures: pl.DataFrame | None, sources: Mapping[str, Mapping[str, Any]]
) -> pl.DataFrame:
    """Where each document came from and what was measured of it; no name, no text, sorted by id."""
    terms = pl.DataFrame(
        [(tag, source["license"]["name"], source["license"]["tier"]) for tag, source in sorted(sources.items())],
        schema={"source": pl.String, "licence": pl.String, "tier": pl.String},
        orient="row",
    )
    table = documents.join(terms, on="source", how="left", maintain_order="left")
    measured: list[str] = []
    if measures is not None:
        measured = [name for name in measures.columns if name not in table.columns]
        table = table.join(measures.select("doc_key", *measured), on="doc_key", how="left", maintain_order="left")
    return table.select(*PROVENANCE, *measured).rechunk()


def manifest(release: Release, sources: Mapping[str, Mapping[str, Any]], told: Mapping[str, Any]) -> dict[str, Any]:
    """What the release is and what made it: no clock, no path, no machine."""
    config = portable({key: value for key, value in told["config"].items() if key not in PLACES})
    documents, queries = release.documents, release.queries
    return {
        "name": config.get("name"),
        "authbench": authbench.__version__,
        "splits": list(release.splits),
        "config": config,
        "versions": told["versions"],
        "inputs": told["inputs"],
        "scorers": told["scorers"],
        "skipped_sources": told["skipped_sources"],
        "licences": {tag: sources[tag]["license"] for tag in sorted(set(documents["source"])) if tag in sources},
        "takedown": release.takedown,
        "warnings": told["warnings"],
        "totals": {
            "documents": documents.height,
            "authors": documents["author_id"].n_unique(),
            "languages": documents["lang"].n_unique(),
            "queries": queries.height,
        },
        "counts": {
            split: {
                "documents": part.height,
                "authors": part["author_id"].n_unique(),
                "queries": queries.filter(pl.col("split") == split).height,
                "languages": tally(part["lang"]),
                "genres": tally(part["genre"]),
                "lengths": tally(part["length_bucket"]),
            }
            for split in release.splits
            for part in [documents.filter(pl.col("split") == split)]
        },
    }


def portable(value: Any) -> Any:
    """Settings without the place they were used at: of an absolute path, the file's name."""
    if isinstance(value, Mapping):
        return {key: portable(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [portable(inner) for inner in value]
    if isinstance(value, str) and PurePath(value).is_absolute():
        return PurePath(value).name
    return value


def finite(value: Any) -> Any:
    """The value with null for numbers that JSON does not know."""
    if isinstance(value, Mapping):
        return {key: finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def tally(values: pl.Series) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def mapped(values: pl.Series, change: Callable[[str], str]) -> pl.Series:
    return pl.Series(values.name, [change(value) for value in values], dtype=pl.String)
