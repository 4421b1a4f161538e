"""Read a published release, from AuthBench or elsewhere, or its public bundle, on demand.

Texts are read in batches; ids and labels of a split are in memory. A public bundle is a release of the texts that may
be passed on; its `tier_b.json` and `complete/` say how the others can be rebuilt.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from itertools import chain
from pathlib import Path
from typing import Any, TypedDict, cast

import polars as pl

from authbench.config.registry.entries import problems_in_words, read_yaml
from authbench.core.errors import InputError, first_line
from authbench.core.printable import printable
from authbench.core.shipped import shipped
from authbench.core.storage.exact_json import loads
from authbench.core.storage.json_files import read_foreign_json, value_at
from authbench.core.storage.parquet_headers import bounded_parquet
from authbench.core.storage.sha256sums import SUMS
from authbench.release.format import columns, files
from authbench.release.format.deviation import Deviation
from authbench.release.format.manifest import Manifest, Verification
from authbench.release.format.names import expect_inside, expect_splits, files_of_format, splits_of
from authbench.release.format.tables import concat, read_pairs, read_table

VERSION = 1
_CFF = "CITATION.cff"
_DIGEST, _SPLIT = re.compile(columns.SHA256), re.compile(columns.SPLIT)
_ID = re.compile(columns.DOCUMENT_ID, re.ASCII)
# The mappings of a lock: the part, the form of its keys and of its values, and both in words.
_PARTS = (
    ("authors", _DIGEST, _SPLIT, "author ids (64 hexadecimal digits) and their splits"),
    ("documents", _DIGEST, _ID, "SHA-256 of documents' keys and their ids (doc_ and six digits or more)"),
)


class Lock(TypedDict):
    """The split of every author id, and the id of every document by the SHA-256 of its key."""

    version: int
    authors: dict[str, str]
    documents: dict[str, str]


def read_lock(path: str | Path) -> Lock:
    """Return the `release.lock` of an earlier release.

    It contains `authors` (author id -> split) and `documents` (SHA-256 of a document's key -> id).

    Raises:
        InputError: the file is not a release.lock of this version.
    """
    try:
        lock: object = loads(Path(path).read_bytes())
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not a release.lock: {error}. Give the file of an earlier release.") from None
    if not isinstance(lock, dict) or lock.get("version") != VERSION or not {"authors", "documents"} <= lock.keys():
        raise InputError(f"{path} is not a release.lock: expected version {VERSION} with authors and documents.")
    for part, key_form, value_form, words in _PARTS:
        if problem := _problem(lock[part], key_form, value_form):
            raise InputError(f"{path} is not a release.lock: {problem} in {part}; expected {words}.")
    if len(set(lock["documents"].values())) < len(lock["documents"]):
        raise InputError(
            f"{path} is not a release.lock: two documents have one id. Give the file of an earlier release."
        )
    return cast(Lock, lock)


def _problem(part: object, key_form: "re.Pattern[str]", value_form: "re.Pattern[str]") -> str | None:
    """Return the problem in a part of a lock, or None."""
    if not isinstance(part, dict):
        return f"{part!r:.80} is not an object"
    for key, value in part.items():
        if not key_form.fullmatch(key) or not isinstance(value, str) or not value_form.fullmatch(value):
            return f"{key!r:.80}: {value!r:.80}"
    return None


DOCUMENTS = pl.Schema(
    {
        "id": pl.String,
        "split": pl.String,
        "author_id": pl.String,
        **{column.name: column.dtype for column in columns.TEXT},
        "candidate": pl.Boolean,
        "query": pl.Boolean,
    }
)
_OF_COMPLETE = (
    *("name", "authbench", "splits", "inputs", "licences", "takedown", "warnings", "totals"),
    *("config.seed", "config.split.splits", "config.release.queries_in_candidates"),
)
_OF_DESCRIPTION = (
    *("id", "split", "source", "licence", "tier", "author_id", "author_kind", "lang", "genre", "date"),
    "names_author",
)
_OF_ABSENT = (
    *("id", "split", "source", "licence", "tier", "author_id", "author_kind", "lang", "genre", "token_length"),
    *("file", "ordinal", "chunk_start", "chunk_end", "content_sha256"),
)


@dataclass(frozen=True)
class Release:
    """A release in a folder.

    `manifest` is empty if the file is missing; `withheld`: it is a public bundle; `unverified` says why the release is
    not known to be unchanged since it was made (format.verify), and is empty if it is.
    """

    folder: Path
    splits: tuple[str, ...]
    manifest: Manifest
    withheld: bool = False
    unverified: str = ""

    @property
    def verification(self) -> Verification:
        """Return the statements of results about the release: `verified`, and the `reason` if it is not."""
        return verification(self.unverified)

    @property
    def name(self) -> str:
        return str(self.manifest["name"])

    @cached_property
    def version(self) -> str | None:
        """Return the version that a published folder states in its CITATION.cff; None without such a file."""
        path = self.folder / _CFF
        stated = read_yaml(path).get("version") if path.is_file() else None
        return str(stated) if re.fullmatch(r"\d{1,9}\.\d{1,9}\.\d{1,9}", str(stated), re.ASCII) else None

    def _repr_html_(self) -> str:
        """Return what a notebook shows of the release."""
        facts = {
            "release": self.manifest.get("name") or self.folder.name,
            "folder": self.folder,
            "splits": ", ".join(self.splits),
            "AuthBench": self.manifest.get("authbench", "unknown"),
            "verified": f"no: {self.unverified}" if self.unverified else "yes",
        }
        rows = (f"<tr><th>{name}</th><td>{escape(str(value))}</td></tr>" for name, value in facts.items())
        return f"<table>{''.join(rows)}</table>"

    @property
    def seed(self) -> int:
        """Return the random seed of the build, by the manifest; 0 if it states none."""
        return int(self.setting("seed") or 0)

    def setting(self, place: str) -> Any:
        """Return a setting that the manifest states, such as `sample.lengths`; None if it states none."""
        return value_at(self.manifest, ["config", *place.split(".")])

    @property
    def has_provenance(self) -> bool:
        return (self.folder / files.PROVENANCE).exists()

    @cached_property
    def provenance(self) -> pl.DataFrame:
        """Return the table of provenance, sorted by id."""
        return self.read_provenance()

    def read_provenance(self, names: Sequence[str] = ()) -> pl.DataFrame:
        """Read the provenance, or these columns of it (with `id`), sorted by id.

        Raises:
            InputError: it is missing, cannot be read, or lacks a column.
        """
        path = self.folder / files.PROVENANCE
        if not self.has_provenance:
            raise InputError(f"{path}: there is no such file. Expected the folder of a release.")
        try:
            schema = pl.read_parquet_schema(path)
            missing = [name for name in names if name not in schema]
            if missing or schema.get("id") != pl.String:
                raise InputError(
                    f"{path}: has no column {', '.join(missing) or '`id` of strings'}; it has {', '.join(schema)}"
                )
            table = bounded_parquet(path, names or None)
        except (pl.exceptions.PolarsError, OSError) as problem:
            raise InputError(f"{path}: cannot be read as Parquet: {first_line(problem)}. Fetch it anew.") from None
        return table if table["id"].is_sorted() else table.sort("id", maintain_order=True)

    @cached_property
    def described(self) -> pl.DataFrame:
        """Return _OF_DESCRIPTION of the provenance, from which cards, licences and citations are made."""
        return self.read_provenance(_OF_DESCRIPTION)

    @cached_property
    def absent(self) -> pl.DataFrame:
        """Return _OF_ABSENT of the provenance of a public bundle's withheld documents; no rows for other releases."""
        if not self.withheld:
            return self.read_provenance(_OF_ABSENT).clear()
        complete = replace(self, folder=self.folder / files.COMPLETE).read_provenance(_OF_ABSENT)
        return complete.join(self.read_provenance(("id",)).select("id"), on="id", how="anti", maintain_order="left")

    @property
    def tier_b(self) -> int:
        """Return how many texts of tier B the release contains."""
        return int((self.read_provenance(("id", "tier"))["tier"] == "B").sum())

    def path(self, split: str, table: columns.Table) -> Path:
        return self.folder / split / table.file

    def rows(self, split: str, table: columns.Table) -> Iterator[pl.DataFrame]:
        """Yield the unfiltered rows of a file of a split, in batches with the schema of `table`."""
        return read_table(self.path(split, table), table)

    def candidates(self, split: str) -> Iterator[pl.DataFrame]:
        """Yield the candidates of a split (CANDIDATES), in batches, by id."""
        return self.rows(split, columns.CANDIDATES)

    def queries(self, split: str) -> Iterator[pl.DataFrame]:
        """Yield the queries of a split (QUERIES) that have an answer here, in batches, by id."""
        answered = self.truth(split).select("query_id")
        for batch in self.rows(split, columns.QUERIES):
            yield batch.join(answered, on="query_id", how="semi", maintain_order="left")

    def truth(self, split: str) -> pl.DataFrame:
        """Return which candidates answer each query and which count neither way (GROUND_TRUTH), by id."""
        table = concat(self.rows(split, columns.GROUND_TRUTH), columns.GROUND_TRUTH).with_columns(
            pl.col("ignored_ids").fill_null([])
        )
        return table.filter(pl.col("positive_ids").list.len() > 0).sort("query_id")

    def positives(self, split: str, types: pl.Schema | None = None) -> pl.DataFrame:
        """Return how queries are related to candidates of their author (POSITIVES); empty without a file."""
        return self._pairs_of(split, columns.POSITIVES, types).sort("query_id", "candidate_id")

    def pairs(self, split: str, types: pl.Schema | None = None) -> pl.DataFrame:
        """Return the pairs to score (PAIRS), in their order; empty without a file."""
        return self._pairs_of(split, columns.PAIRS, types)

    def _pairs_of(self, split: str, table: columns.Table, types: pl.Schema | None) -> pl.DataFrame:
        """Return the rows of a file of pairs, with columns cast to `types` (`tables.read_pairs`)."""
        path = self.path(split, table)
        return read_pairs(path, table, types) if path.is_file() else pl.DataFrame(schema=table.schema)

    def texts(self, split: str) -> Iterator[pl.DataFrame]:
        """Yield every document of a split once (DOCUMENTS), in batches: the candidates, then the other queries.

        The first batch is empty, so that a split without documents has a batch too.
        """
        truth = concat(self.rows(split, columns.GROUND_TRUTH), columns.GROUND_TRUTH)
        queries = concat(
            (batch.select("query_id") for batch in self.rows(split, columns.QUERIES)), columns.QUERIES, ("query_id",)
        )
        known: list[pl.DataFrame] = []
        for batch in chain([columns.CANDIDATES.schema.to_frame()], self.rows(split, columns.CANDIDATES)):
            known.append(batch.select(query_id="candidate_id"))
            yield candidate_documents(batch, queries["query_id"], split)
        candidates = pl.concat(known)
        if queries.join(candidates, on="query_id", how="anti").height:
            for batch in self.rows(split, columns.QUERIES):
                yield query_documents(batch, candidates["query_id"], truth, split)


def candidate_documents(candidates: pl.DataFrame, queries: pl.Series, split: str) -> pl.DataFrame:
    """Return candidates as DOCUMENTS; `queries` are the ids of the split's queries."""
    return candidates.select(
        pl.col("candidate_id").alias("id"),
        pl.lit(split).alias("split"),
        "author_id",
        *columns.TEXT_FIELDS,
        pl.lit(True).alias("candidate"),
        pl.col("candidate_id").is_in(queries.implode()).alias("query"),
    )


def query_documents(queries: pl.DataFrame, candidates: pl.Series, truth: pl.DataFrame, split: str) -> pl.DataFrame:
    """Return queries outside the candidates (by id) as DOCUMENTS, with their authors from the ground truth."""
    others = queries.filter(~pl.col("query_id").is_in(candidates.implode()))
    return others.join(truth.select("query_id", "author_id"), on="query_id", how="left", maintain_order="left").select(
        pl.col("query_id").alias("id"),
        pl.lit(split).alias("split"),
        "author_id",
        *columns.TEXT_FIELDS,
        pl.lit(False).alias("candidate"),
        pl.lit(True).alias("query"),
    )


def verification(unverified: str) -> Verification:
    """Return the statement of results about a release, given why it is not verified (empty: it is)."""
    return {"verified": False, "reason": unverified} if unverified else {"verified": True}


def open_release(folder: Path) -> Release:
    """Open a release; only the manifest, if it exists, is read.

    Its splits are those with a file: first those that the manifest names, in that order, then all others. This function
    is for releases that the build itself has just made; `format.verify.open_verified` opens any other. A release merged
    from an unverified release is not verified either.

    Raises:
        InputError: the folder is missing or has no split, its manifest is invalid, or names lead out of the folder.
    """
    if not folder.is_dir():
        raise InputError(
            f"{folder}: there is no such folder. Expected a release: a folder per split with {columns.CANDIDATES.file}"
        )
    paths = list(files_of_format(folder))
    expect_inside(folder, [*paths, SUMS])
    manifest = read_manifest(folder)
    present = splits_of(paths)
    named = named_splits(manifest)
    expect_splits(folder / files.MANIFEST, dict.fromkeys([*named, *manifest.get("splits", ())]))
    expect_splits(folder, present)
    splits = [name for name in named if name in present] + sorted(present - set(named))
    if not splits:
        raise InputError(
            f"{folder}: no split here. Expected folders such as test/ with "
            + ", ".join(table.file for table in columns.SPLIT_TABLES.values())
        )
    return Release(folder, tuple(splits), manifest, (folder / files.WITHHELD).is_file(), made_of_unverified(manifest))


def open_complete_release(folder: Path) -> Release:
    """Open a release that has a manifest, a provenance, and candidates of every split that the manifest names.

    Raises:
        InputError: a file, a split or a key of the manifest is missing.
    """
    if missing := [name for name in (files.MANIFEST, files.PROVENANCE) if not (folder / name).is_file()]:
        raise InputError(
            f"{folder}: no {' and no '.join(missing)}. Expected the folder of a release (docs/release-format.md)."
        )
    release = open_release(folder)
    named = list(release.manifest.get("splits") or ())
    if absent := [split for split in named if not (folder / split / columns.CANDIDATES.file).is_file()]:
        raise InputError(
            f"{folder}: the manifest names the splits {', '.join(absent)}, which have no {columns.CANDIDATES.file}."
        )
    if lacks := [key for key in _OF_COMPLETE if value_at(release.manifest, key.split(".")) is None]:
        raise InputError(f"{folder / files.MANIFEST}: lacks {', '.join(lacks)}. Expected the manifest of a release.")
    return replace(release, splits=tuple(named))


def made_of_unverified(manifest: Manifest) -> str:
    """Return why a release merged into this release was not verified, by the manifest; empty if all were."""
    parts = [part for part in manifest.get("merged", ()) if part.get("unverified")]
    return "; ".join(f"made of {part['name']}, which was not verified: {part['unverified']}" for part in parts)


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a release; an empty mapping without the file.

    Raises:
        InputError: it does not fit its schema.
    """
    return cast(Manifest, _read_fitting(folder / files.MANIFEST))


def read_deviation(folder: Path) -> Deviation:
    """Return the targets of a release and what was taken; an empty mapping without the file.

    Raises:
        InputError: the file does not fit its schema.
    """
    return cast(Deviation, _read_fitting(folder / files.DEVIATION))


def _read_fitting(path: Path) -> dict[str, object]:
    """Return the object in a JSON file, checked against the schema of the file's name; empty without a file."""
    if not path.exists():
        return {}
    found = read_foreign_json(path)
    if problems := problems_in_words(found, shipped(f"schemas/{path.stem}.schema.yaml")):
        raise InputError(f"{path}: {printable(problems)}.")
    return found


def named_splits(manifest: Manifest) -> list[str]:
    """Return the splits that a manifest names, in their order."""
    stated = value_at(manifest, ("config", "split", "splits"))
    return list(dict.fromkeys([*(manifest.get("splits") or ()), *(stated or ())]))
