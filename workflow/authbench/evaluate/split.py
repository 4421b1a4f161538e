"""What does a split of a release ask?

The format is that of the processing plan (section 15), ours or the published benchmark's: a query may or may not be
among its own candidates; if it is, it is never an answer to itself.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from authbench.arrays import I32, I64
from authbench.errors import InputError
from authbench.records import length_bucket_expr

TEXT_FIELDS = ("lang", "genre", "source", "content", "token_length")
FILES = {
    "candidates": ("candidate_id", "author_id", *TEXT_FIELDS),
    "queries": ("query_id", *TEXT_FIELDS),
    "ground_truth": ("query_id", "positive_ids", "author_id"),
}
TOLD_BY_PROVENANCE = ("origin", "topic", "date")
SHOWN = 5


@dataclass(frozen=True)
class Lists:
    """Lists of rows, one after another: list i is `rows[starts[i]:starts[i + 1]]`."""

    starts: I64
    rows: I32

    @classmethod
    def of(cls, lists: Iterable[Sequence[int]]) -> "Lists":
        held = [sorted(rows) for rows in lists]
        starts = np.array([0, *accumulate(map(len, held))], np.int64)
        return cls(starts, np.array([row for rows in held for row in rows], np.int32))

    def lengths(self) -> I64:
        return np.diff(self.starts)

    def owners(self) -> I64:
        """The list that each row belongs to."""
        return np.repeat(np.arange(len(self.starts) - 1), self.lengths())


@dataclass(frozen=True)
class Split:
    """Documents, which of them ask, and what answers.

    `documents` has a row per text: first the candidates by id (of equal scores the first wins), then the queries
    that are no candidates; columns `id`, `author_id`, TEXT_FIELDS, `length`, `primary_genre`, `topic` (the primary
    genre where the release tells none) and, where it does, `origin` and `date`. `asks` are the queries' rows, by id.
    `positives` and `excluded` (the query itself and what counts neither way) are rows of candidates, a list per query.
    `checksum` is over the three files.
    """

    name: str
    documents: pl.DataFrame
    candidates: int
    asks: I32
    positives: Lists
    excluded: Lists
    checksum: str

    @property
    def queries(self) -> pl.DataFrame:
        return self.documents[self.asks]


def read_split(release: Path, name: str) -> Split:
    """A split of the release in a folder. Raises InputError where a file, a field or an id is not what it should be."""
    folder = release / name
    if not release.is_dir():
        raise InputError(f"{release}: there is no such folder. Expected a release: a folder with a folder per split.")
    if not folder.is_dir():
        there = sorted(path.parent.name for path in release.glob("*/candidates.jsonl"))
        raise InputError(f"{folder}: there is no such split. {release} has {', '.join(there) or 'none at all'}.")
    tables = {file: read_table(folder / f"{file}.jsonl", fields) for file, fields in FILES.items()}
    checksum = hashlib.sha256()
    for file in FILES:
        with (folder / f"{file}.jsonl").open("rb") as handle:
            checksum.update(hashlib.file_digest(handle, "sha256").digest())
    provenance = read_provenance(release / "provenance.parquet")
    return make_split(
        name, tables["candidates"], tables["queries"], tables["ground_truth"], checksum.hexdigest(), provenance
    )


def read_table(path: Path, fields: Sequence[str]) -> pl.DataFrame:
    """The rows of a JSON lines file. Raises InputError where it cannot be read or lacks a field."""
    if not path.is_file():
        raise InputError(
            f"{path}: there is no such file. A split holds {', '.join(f'{file}.jsonl' for file in FILES)}."
        )
    from authbench.check.reading import read_lines

    rows: list[Any] = read_lines(path)
    for number, row in enumerate(rows, start=1):
        missing = [field for field in fields if not isinstance(row, dict) or row.get(field) is None]
        if missing:
            raise InputError(f"{path}, line {number}: no {', '.join(missing)}. Expected {', '.join(fields)}.")
    if not rows:
        raise InputError(f"{path}: holds no row, so there is nothing to evaluate.")
    optional = ("ignored_ids",) if "positive_ids" in fields else ()
    try:
        return pl.DataFrame({field: [row.get(field) for row in rows] for field in (*fields, *optional)})
    except (TypeError, pl.exceptions.PolarsError) as problem:
        raise InputError(f"{path}: a field holds values of several kinds: {problem}") from None


def read_provenance(path: Path) -> pl.DataFrame | None:
    """Origin, topic and date of the documents, for a release that tells them."""
    if not path.is_file():
        return None
    try:
        return pl.read_parquet(path, columns=["id", *TOLD_BY_PROVENANCE])
    except (pl.exceptions.PolarsError, OSError) as problem:
        raise InputError(f"{path}: cannot be read: {problem}") from None


def make_split(
    name: str,
    candidates: pl.DataFrame,
    queries: pl.DataFrame,
    truth: pl.DataFrame,
    checksum: str = "",
    provenance: pl.DataFrame | None = None,
) -> Split:
    """Put the three tables of a split together. Raises InputError where their ids do not match."""
    pool = candidates.rename({"candidate_id": "id"}).sort("id")
    asking = queries.rename({"query_id": "id"}).sort("id")
    truth = truth.rename({"query_id": "id"}).sort("id")
    expect_unique_ids(name, {"candidates": pool, "queries": asking, "ground_truth": truth})
    expect_same_queries(name, asking, truth)
    apart = asking.join(truth.select("id", "author_id"), on="id", maintain_order="left").join(pool, on="id", how="anti")
    texts = ["id", "author_id", *TEXT_FIELDS]
    documents = describe(pl.concat([pool.select(texts), apart.select(texts)]), provenance)

    row = {ident: number for number, ident in enumerate(documents["id"])}
    positives, excluded, strangers = [], [], set()
    for asked, answers, ignored in answer_lists(truth):
        positives.append([row[ident] for ident in answers - ignored if row.get(ident, pool.height) < pool.height])
        excluded.append([row[ident] for ident in ignored if row.get(ident, pool.height) < pool.height])
        strangers |= {ident for ident in answers - {asked} if row.get(ident, pool.height) >= pool.height}
    if strangers:
        raise InputError(
            f"{name}/ground_truth.jsonl names {len(strangers)} positives that are no candidates: "
            f"{', '.join(sorted(strangers)[:SHOWN])}. Fetch the release anew."
        )
    return Split(
        name=name,
        documents=documents,
        candidates=pool.height,
        asks=np.array([row[ident] for ident in asking["id"]], np.int32),
        positives=Lists.of(positives),
        excluded=Lists.of(excluded),
        checksum=checksum,
    )


def answer_lists(truth: pl.DataFrame) -> Iterator[tuple[str, set[str], set[str]]]:
    """Each query with the ids that answer it and those that count neither way, itself among them."""
    ignored = truth["ignored_ids"].to_list() if "ignored_ids" in truth.columns else [None] * truth.height
    for ident, answers, others in zip(truth["id"], truth["positive_ids"].to_list(), ignored, strict=True):
        yield ident, set(answers), {ident, *(others or ())}


def describe(documents: pl.DataFrame, provenance: pl.DataFrame | None) -> pl.DataFrame:
    """The documents with their length bucket, their primary genre and what the release tells of their provenance."""
    told = documents.with_columns(
        length=length_bucket_expr("token_length"), primary_genre=pl.col("genre").str.split("/").list.first()
    )
    if provenance is None:
        return told.with_columns(topic="primary_genre")
    known = told.join(provenance, on="id", how="left", maintain_order="left")
    return known.with_columns(topic=pl.coalesce("topic", "primary_genre"))


def expect_unique_ids(name: str, tables: Mapping[str, pl.DataFrame]) -> None:
    for file, table in tables.items():
        twice = table["id"].filter(table["id"].is_duplicated()).unique().sort()
        if len(twice):
            raise InputError(f"{name}/{file}.jsonl: the id {twice[0]} occurs twice. Expected each once.")


def expect_same_queries(name: str, queries: pl.DataFrame, truth: pl.DataFrame) -> None:
    for one, other, has, lacks in (
        (queries, truth, "queries", "ground_truth"),
        (truth, queries, "ground_truth", "queries"),
    ):
        ids = one.join(other, on="id", how="anti")["id"]
        if len(ids):
            raise InputError(
                f"{name}/{has}.jsonl has {len(ids)} queries that {name}/{lacks}.jsonl does not: "
                f"{', '.join(ids[:SHOWN])}. Expected the same queries in both; fetch the release anew."
            )
