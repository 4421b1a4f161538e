"""Open a release from others: verify it before any other part of it is read, or any file is written.

A name that leads out of the folder and a malformed file are always refused. A contradiction is refused unless the
caller requests no verification: a file that differs from SHA256SUMS, is listed there but missing, or is not listed;
splits, texts or terms that differ from the manifest and the provenance. A folder without checksums cannot contradict
them: it is opened, and results made of it state that it is not verified.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import polars as pl

from authbench.config.registry.entries import Schema, problems_in_words
from authbench.config.registry.sources import source_schema
from authbench.core.errors import InputError
from authbench.core.identity import sha256_of_text
from authbench.core.json_values import JsonObject
from authbench.core.printable import printable
from authbench.core.shipped import shipped
from authbench.core.storage.atomic import sha256_of_file
from authbench.core.storage.json_files import read_foreign_json
from authbench.core.storage.sha256sums import SUMS, read_sums
from authbench.release.format import files, names
from authbench.release.format.columns import CANDIDATES, GROUND_TRUTH, PROVENANCE, QUERIES, Table
from authbench.release.format.hub import release_of
from authbench.release.format.release import Release, named_splits, open_complete_release, open_release
from authbench.release.format.tables import concat, expect_file, table_problems

NO_CHECKSUMS = "no checksums"
_LABELS = ("id", "split", "source", "content_sha256", "tier")  # columns of the provenance
_TIERS = frozenset("AB")
_SHOWN = 4
_HASHED_AT_ONCE = 4  # files


@dataclass(frozen=True)
class Withheld:
    """The contents of tier_b.json: the config entries of sources by tag, and the SHA-256 of each file by its path."""

    sources: Mapping[str, Mapping[str, object]]
    files: Mapping[str, str]


def open_verified(folder: Path, *, complete: bool = False, unverified: bool = False) -> Release:
    """Open a release from others; `Release.unverified` says why it is not verified, if so.

    Args:
        folder: a release, its public bundle, a folder with splits in this form, or an argument of
            `hub.release_of`.
        complete: whether it must have a manifest and a provenance with everything that an export reads.
        unverified: whether a contradiction is stated instead of refused.

    Raises:
        InputError: it is missing or contradicts itself, a name leads out of it, or a file is malformed.
    """
    folder = release_of(folder)
    release = (open_complete_release if complete else open_release)(folder)
    sums = _sums(folder)
    withheld = read_withheld(folder) if release.withheld else None
    if release.has_provenance:
        _expect_columns(release, complete)
    problems = list(islice(_contradictions(release, sums, withheld), _SHOWN + 1))
    if not problems or unverified:
        for problem in _text_problems(release):  # to the end, as any split may be one that is refused
            problems += [problem] * (len(problems) <= _SHOWN)
    if not problems:
        return _unverified(release, [] if sums is not None else [NO_CHECKSUMS])
    shown = [printable(problem) for problem in problems[:_SHOWN]] + ["..."] * (len(problems) > _SHOWN)
    if not unverified:
        raise InputError(
            f"{folder} contradicts itself. Fetch it again, or give --unverified: results then say that it is not "
            "verified." + "".join(f"\n  - {problem}" for problem in shown)
        )
    return _unverified(release, shown)


def _unverified(release: Release, reasons: Sequence[str]) -> Release:
    """Return the release, not verified for these reasons in addition to its previous reasons."""
    return replace(release, unverified="; ".join([*filter(None, [release.unverified]), *reasons]))


def read_withheld(folder: Path) -> Withheld:
    """Return the contents of the tier_b.json of a bundle.

    Raises:
        InputError: it, or a config entry in it, is malformed, or a name in it leads out of a folder.
    """
    path = folder / files.WITHHELD
    value = read_foreign_json(path)
    _expect_schema(path, value, shipped("schemas/tier_b.schema.yaml"))
    names.expect_paths(path, value["files"])
    names.expect_inside(folder, [f"{files.COMPLETE}/{name}" for name in value["files"]])
    for tag, entry in value["sources"].items():
        if problem := names.name_problem(tag):
            raise InputError(f"{path} names the source {tag!a:.80}: {problem}.")
        _expect_schema(f"{path}, the entry of {tag}", entry, source_schema)
        if problem := names.path_problem(entry.get("folder", tag)):
            raise InputError(f"{path}, the entry of {tag}: the folder {entry['folder']!a:.80}: {problem}.")
    return Withheld(value["sources"], value["files"])


def _expect_schema(place: object, value: JsonObject, schema: Schema) -> None:
    if problems := problems_in_words(value, schema):
        raise InputError(printable(f"{place}: {problems}. Fetch it again."))


def _sums(folder: Path) -> dict[str, str] | None:
    """Return the checksums of a folder, whose paths are all inside it; None without the file."""
    if not (folder / SUMS).exists():
        return None
    sums = read_sums(folder)
    names.expect_paths(folder / SUMS, sums)
    names.expect_inside(folder, sums)
    return sums


def _expect_columns(release: Release, complete: bool) -> None:
    """Raise InputError if the provenance is malformed, or lacks a required column."""
    path = release.folder / files.PROVENANCE
    wrong = [f"{name} {problem}" for name, problem in table_problems(path, PROVENANCE) if complete or name in _LABELS]
    if wrong:
        raise InputError(printable(f"{path}: of the columns {'; '.join(wrong[:_SHOWN])} (docs/release-format.md)."))


def _contradictions(release: Release, sums: Mapping[str, str] | None, withheld: Withheld | None) -> Iterator[str]:
    """Yield the contradictions in a release, cheap tests before expensive tests."""
    named = named_splits(release.manifest)
    for split in sorted(set(named) ^ names.splits_of(names.files_of_format(release.folder))) if named else ():
        yield f"{files.MANIFEST} and the folders differ: only one of them has the split {split}"
    if sums is not None:
        yield from _changed_files(release.folder, sums)
    if withheld is not None:
        yield from _bundle_problems(sums, withheld, release)
    elif release.manifest.get("withheld"):
        yield f"{files.MANIFEST} says that documents are withheld, and there is no {files.WITHHELD}"
    if release.has_provenance:
        rows = release.read_provenance(_LABELS)
        if unknown := sorted(set(rows["tier"].unique()) - _TIERS):
            raise InputError(f"{release.folder / files.PROVENANCE}: tier is {unknown[0]!a:.40}. Expected A or B.")
        if rows["id"].is_duplicated().any():
            twice = rows["id"].filter(rows["id"].is_duplicated())[0]
            raise InputError(f"{release.folder / files.PROVENANCE}: has several rows of {twice!a:.40}.")
        yield from _label_problems(release, rows)


def _changed_files(folder: Path, sums: Mapping[str, str]) -> Iterator[str]:
    for path in sorted(set(names.files_of_format(folder)) - set(sums)):
        yield f"{path} is not in {SUMS}"
    here = [path for path in sorted(sums) if (folder / path).is_file()]
    for path in sorted(set(sums) - set(here)):
        yield f"{path}, which {SUMS} lists, is missing"
    with ThreadPoolExecutor(_HASHED_AT_ONCE) as pool:
        for path, digest in zip(here, pool.map(lambda path: sha256_of_file(folder / path), here), strict=True):
            if digest != sums[path]:
                yield f"{path} is not what {SUMS} says it is"


def _bundle_problems(sums: Mapping[str, str] | None, withheld: Withheld, release: Release) -> Iterator[str]:
    """Yield files without texts that differ from the complete release."""
    texts = {f"{split}/{table.file}" for split in release.splits for table in (CANDIDATES, QUERIES)}
    for path, digest in sorted(withheld.files.items()):
        if sums is not None and path not in texts and sums.get(f"{files.COMPLETE}/{path}") != digest:
            yield f"{files.COMPLETE}/{path} is not what {files.WITHHELD} says it is"
    for path in sorted(texts - withheld.files.keys()):
        yield f"{path} is not in {files.WITHHELD}"


def _label_problems(release: Release, labels: pl.DataFrame) -> Iterator[str]:
    """Yield sources of the provenance without terms or of another tier, and splits that the release does not have."""
    for split in sorted(set(labels["split"]) - set(release.splits)):
        yield f"{files.PROVENANCE} names the split {split!a:.80}, which is not there"
    if terms := release.manifest.get("licences"):
        for source in sorted(set(labels["source"]) - set(terms)):
            yield f"{files.MANIFEST} has no licence of the source {source!a:.80}"
        for source, tier in labels.select("source", "tier").unique().sort("source", "tier").iter_rows():
            if source in terms and terms[source]["tier"] != tier:
                yield f"{files.PROVENANCE} has texts of {source!a:.80} in tier {tier}, {files.MANIFEST} in another"


def _text_problems(release: Release) -> Iterator[str]:
    """Yield texts that differ from the provenance, and documents of it without a text.

    Raises:
        InputError: a split has other queries than its ground truth, or names a positive that it does not have.
    """
    rows = release.read_provenance(_LABELS) if release.has_provenance else None
    for split in release.splits:
        ids = dict[Table, pl.Series]()
        own = None if rows is None else rows.filter(pl.col("split") == split)
        for table in (CANDIDATES, QUERIES):
            if release.path(split, table).is_file():
                seen = [pl.Series(dtype=pl.String)]
                for batch in release.rows(split, table):
                    seen.append(batch[table.ident])
                    for ident in [] if own is None else _changed_texts(batch, table, own):
                        yield f"{split}/{table.file}: {ident} is not the text that {files.PROVENANCE} says it is"
                ids[table] = pl.concat(seen)
                for ident in ids[table].filter(ids[table].is_duplicated()).unique(maintain_order=True):
                    yield f"{split}/{table.file} has several rows of {ident!a:.40}"
        if own is not None and len(ids) == 2:
            absent = own["id"].filter(~own["id"].is_in(pl.concat(ids.values()).implode()))
            if len(absent):
                yield f"{split} lacks {len(absent)} texts of {files.PROVENANCE}, such as {absent[0]}"
        if release.path(split, GROUND_TRUTH).is_file():
            _expect_answers(release, split, ids)


def _changed_texts(batch: pl.DataFrame, table: Table, provenance: pl.DataFrame) -> Sequence[str]:
    """Return the ids of texts that differ from their row of the provenance, or have none."""
    digests = pl.Series("found", list(map(sha256_of_text, batch["content"])), dtype=pl.String)
    found = batch.select(id=table.ident).with_columns(digests)
    first, last = pl.lit(found["id"].min()), pl.lit(found["id"].max())
    near = provenance.filter(pl.col("id").is_between(first, last))  # few rows: both are sorted by id
    both = found.join(near, on="id", how="left", maintain_order="left")
    return both.filter(pl.col("found").ne_missing(pl.col("content_sha256")))["id"].to_list()


def _expect_answers(release: Release, split: str, ids: Mapping[Table, pl.Series]) -> None:
    """Raise InputError if queries and rows of the ground truth differ, or a positive is not a candidate."""
    for table in (QUERIES, CANDIDATES):
        expect_file(release.path(split, table))
    columns = ("query_id", "positive_ids")
    truth = concat((batch.select(columns) for batch in release.rows(split, GROUND_TRUTH)), GROUND_TRUTH, columns)
    answers = truth.select("query_id", id="positive_ids").explode("id").drop_nulls()
    positives = answers.filter(pl.col("id") != pl.col("query_id"))["id"]
    for there, named, lacking in (
        (ids[QUERIES], truth["query_id"], QUERIES),
        (truth["query_id"], ids[QUERIES], GROUND_TRUTH),
        (ids[CANDIDATES], positives, CANDIDATES),
    ):
        absent = named.filter(~named.is_in(there.implode()))
        if len(absent):
            raise InputError(
                f"{release.path(split, lacking)}: lacks {len(absent)} ids that queries or answers of the split name, "
                f"such as {absent[0]!a:.40}. Fetch the release again."
            )
