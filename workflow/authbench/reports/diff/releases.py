"""Read a release for comparison: documents by the hash of their key, which later builds keep.

Decide whether scores on two releases can be compared, and how the version changes.

Major: the scored data differ, or a name by which others refer to them. Minor: more data to train on or to read; scores
stay comparable. Patch: only data that no score depends on.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, TypedDict

import polars as pl

from authbench.core.errors import InputError
from authbench.core.identity import sha256_of_text
from authbench.core.storage.json_lines import read_objects
from authbench.core.storage.sha256sums import SUMS, read_sums
from authbench.release.format.columns import CANDIDATES, GROUND_TRUTH, PAIR_TABLES, QUERIES, SPLIT_TABLES, Table
from authbench.release.format.files import LOCK, PROVENANCE
from authbench.release.format.hub import release_of
from authbench.release.format.names import scored_splits
from authbench.release.format.release import Release, read_lock
from authbench.release.format.verify import open_verified
from authbench.scoring.evaluation.split import split_checksum

_REMOVALS = "dirty_docs.log"  # in the folder of a release, if it was built there


@dataclass(frozen=True)
class KeyedRelease:
    """A release by keys of documents.

    `documents` has key, id, split, source, lang, author_id and content_sha256; `queries` id, key, and `answers`, the
    keys of the positives; `numbered` are the keys and `authors` the authors in its release.lock.
    """

    release: Release
    documents: pl.DataFrame
    queries: pl.DataFrame
    numbered: frozenset[str]
    authors: frozenset[str]

    @cached_property
    def reasons(self) -> dict[str, str]:
        """Return why documents were removed in the build, by the hash of their key; empty without the log."""
        if not self.logged:
            return {}
        reasons: dict[str, str] = {}
        for _, row in read_objects(self.release.folder.parent / _REMOVALS):
            if row["doc_key"] is not None:
                reasons.setdefault(sha256_of_text(row["doc_key"]), row["reason"])
        return reasons

    @property
    def logged(self) -> bool:
        return (self.release.folder.parent / _REMOVALS).is_file()


def read_release(folder: Path, unverified: bool = False) -> KeyedRelease:
    """Read a release or a public bundle.

    Raises:
        InputError: it is not a release, contradicts itself, or has no release.lock.
    """
    folder = release_of(folder)
    if not (folder / LOCK).is_file():
        raise InputError(f"{folder}: no {LOCK}, so nothing says which document is which. Expected a release.")
    release = open_verified(folder, complete=True, unverified=unverified)
    lock = read_lock(folder / LOCK)
    keys = pl.DataFrame(
        {"key": list(lock["documents"]), "id": list(lock["documents"].values())},
        schema={"key": pl.String, "id": pl.String},
    )
    documents = release.provenance.select("id", "split", "source", "lang", "author_id", "content_sha256").join(
        keys, on="id", how="left"
    )
    unknown = documents.filter(pl.col("key").is_null())
    if unknown.height:
        raise InputError(f"{folder}: {LOCK} lacks {unknown.height} of its documents, {unknown['id'][0]} first.")
    key_of = dict(documents.select("id", "key").iter_rows())
    truths = [
        (split, row["query_id"], row["positive_ids"])
        for split in release.splits
        for batch in release.rows(split, GROUND_TRUTH)
        for row in batch.iter_rows(named=True)
    ]
    for split, query, answers in truths:
        for ident in (query, *answers):
            if ident not in key_of:
                raise InputError(
                    f"{release.path(split, GROUND_TRUTH)} names {ident!a:.80}, which is no document of it."
                )
    queries = [(query, key_of[query], sorted(map(key_of.__getitem__, answers))) for _, query, answers in truths]
    return KeyedRelease(
        release,
        documents,
        pl.DataFrame(queries, schema={"id": pl.String, "key": pl.String, "answers": pl.List(pl.String)}, orient="row"),
        frozenset(lock["documents"]),
        frozenset(lock["authors"]),
    )


MAJOR, MINOR, PATCH, NONE = "major", "minor", "patch", "none"
_ORDER = (NONE, PATCH, MINOR, MAJOR)
_SHOWN = 4


class Reason(NamedTuple):
    """Why a version changes by `level`, in words; `split` if it concerns a split."""

    level: str
    why: str
    split: str | None = None


class StatedReason(TypedDict):
    """A `Reason` as an object."""

    level: str
    why: str
    split: str | None


class VersionChange(TypedDict):
    """How the version changes, and on which splits scores can be compared; versions are None if not stated."""

    bump: str
    reasons: list[StatedReason]
    comparable: list[str]
    before: str | None
    stated: str | None
    proposed: str | None


def reasons(a: KeyedRelease, b: KeyedRelease) -> list[Reason]:
    """Return why the version changes from `a` to `b`, the weightiest first; empty without differences.

    Memory: ids and digests of a split of each.
    """
    found = [*_names(a, b), *_splits(a.release, b.release), *_columns(a.release, b.release)]
    if not found or all(one.level == PATCH for one in found):
        found += _files(a.release, b.release)
    return sorted(found, key=lambda one: (-_ORDER.index(one.level), one.split or "", one.why))


def bump(found: list[Reason]) -> str:
    """Return the largest level of the reasons."""
    return max((one.level for one in found), key=_ORDER.index, default=NONE)


def next_version(version: str, level: str) -> str:
    """Return the version that follows by a change of this level.

    >>> next_version("1.4.2", MAJOR), next_version("1.4.2", MINOR), next_version("1.4.2", PATCH)
    ('2.0.0', '1.5.0', '1.4.3')
    """
    major, minor, patch = (int(part) for part in version.split("."))
    return {
        MAJOR: f"{major + 1}.0.0",
        MINOR: f"{major}.{minor + 1}.0",
        PATCH: f"{major}.{minor}.{patch + 1}",
        NONE: version,
    }[level]


def _names(a: KeyedRelease, b: KeyedRelease) -> Iterator[Reason]:
    """Yield documents under other ids and authors under other pseudonyms: others' lists and vectors no longer fit."""
    both = a.documents.join(b.documents, on="key", suffix="_b")
    for column, what in (("id", "other ids"), ("author_id", "other author ids")):
        renamed = both.filter(pl.col(column) != pl.col(f"{column}_b")).group_by("split_b").len().sort("split_b")
        for split, number in renamed.iter_rows():
            yield Reason(MAJOR, f"{number:,} documents have {what}", split)


def _splits(a: Release, b: Release) -> Iterator[Reason]:
    scored = {*scored_splits(a.splits), *scored_splits(b.splits)}
    for split in sorted({*a.splits, *b.splits}):
        if split not in b.splits:
            yield Reason(MAJOR, "the split is gone", split)
        elif split not in a.splits:
            yield Reason(MINOR, "the split is new", split)
        elif split_checksum(a, split) != split_checksum(b, split):
            yield from _in_split(a, b, split, split in scored)


def _in_split(a: Release, b: Release, split: str, scored: bool) -> Iterator[Reason]:
    """Yield the differences in a split; if it is only fitted on, more or fewer texts leave scores comparable."""
    found = False
    for table in (CANDIDATES, QUERIES):
        (one, other) = (_rows(release, split, table) for release in (a, b))
        gone, new = one.keys() - other.keys(), other.keys() - one.keys()
        changed = sum(one[ident] != other[ident] for ident in one.keys() & other.keys())
        counts = [f"{number:,} {what}" for number, what in ((len(gone), "gone"), (len(new), "new")) if number]
        if counts:
            found = True
            yield Reason(MAJOR if scored else MINOR, f"{table.name}: {', '.join(counts)}", split)
        if changed:
            found = True
            yield Reason(MAJOR if scored else MINOR, f"{table.name}: {changed:,} with another text or author", split)
    before, after = (_answers(release, split) for release in (a, b))
    if differing := sum(before[ident] != after[ident] for ident in before.keys() & after.keys()):
        found = True
        yield Reason(MAJOR if scored else MINOR, f"{differing:,} queries have other answers or ignored texts", split)
    for pairs in PAIR_TABLES.values():
        if _pairs(a, split, pairs) != _pairs(b, split, pairs):
            found = True
            yield Reason(MAJOR if scored else MINOR, f"{pairs.name} differ", split)
    if not found:
        yield Reason(MINOR, "the same texts, queries and answers, with other fields beside them", split)


def _rows(release: Release, split: str, table: Table) -> dict[str, tuple[str, str]]:
    """Return the digest of the text, and the author if stated, of each id of a table."""
    found: dict[str, tuple[str, str]] = {}
    for batch in release.rows(split, table):
        authors = batch["author_id"] if "author_id" in batch.columns else [""] * batch.height
        for ident, text, author in zip(batch[table.ident], batch["content"], authors, strict=True):
            found[ident] = (sha256_of_text(text), author or "")
    return found


def _answers(release: Release, split: str) -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    return {
        row["query_id"]: (frozenset(row["positive_ids"] or ()), frozenset(row.get("ignored_ids") or ()))
        for batch in release.rows(split, GROUND_TRUTH)
        for row in batch.iter_rows(named=True)
    }


def _pairs(release: Release, split: str, table: Table) -> bytes | None:
    """Return the rows of a table of pairs, independent of their order, for comparison; None without the table."""
    path = release.path(split, table)
    if not path.is_file():
        return None
    names = [name for name in table.names if name in pl.read_parquet_schema(path)]
    return bytes(pl.read_parquet(path, columns=names).sort(names).hash_rows().to_numpy().tobytes())


def _columns(a: Release, b: Release) -> Iterator[Reason]:
    before, after = (set(pl.read_parquet_schema(one.folder / PROVENANCE)) for one in (a, b))
    for level, what, names in ((MAJOR, "without", before - after), (MINOR, "with", after - before)):
        if names:
            yield Reason(level, f"{PROVENANCE} {what} {', '.join(sorted(names))}")


def _files(a: Release, b: Release) -> Iterator[Reason]:
    """Yield the differing files that no score depends on."""
    if not all((one.folder / SUMS).is_file() for one in (a, b)):
        return
    before, after = read_sums(a.folder), read_sums(b.folder)
    tables = {table.file for table in (*SPLIT_TABLES.values(), *PAIR_TABLES.values())}
    differing = [
        path
        for path in sorted({*before, *after})
        if before.get(path) != after.get(path) and path.rsplit("/", 1)[-1] not in tables
    ]
    if differing:
        more = f" and {len(differing) - _SHOWN} more" if len(differing) > _SHOWN else ""
        yield Reason(PATCH, f"no score depends on what differs: {', '.join(differing[:_SHOWN])}{more}")


def version_change(a: KeyedRelease, b: KeyedRelease) -> VersionChange:
    """Return how the version changes.

    These are `bump`, `reasons`, the `comparable` splits, and for published folders the versions `before`, `stated` by
    `b` and `proposed`. Between a complete release and a public bundle no version is proposed: these are two benchmarks.
    """
    alike = a.release.withheld == b.release.withheld
    found = reasons(a, b) if alike else []
    level = bump(found)
    return {
        "bump": level,
        "reasons": [{"level": one.level, "why": one.why, "split": one.split} for one in found],
        "comparable": [
            split
            for split in scored_splits(b.release.splits)
            if alike
            and split in a.release.splits
            and not any(one.split == split and one.level == MAJOR for one in found)
        ],
        "before": a.release.version,
        "stated": b.release.version,
        "proposed": next_version(a.release.version, level) if a.release.version else None,
    }
