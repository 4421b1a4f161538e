"""Read a split of a release for evaluation: documents, queries and their answers, as rows.

A query may be among its candidates, but it is never an answer to itself.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain

import numpy as np
import polars as pl

from authbench.build.labels.decision import UNMEASURED, read_decisions
from authbench.core.arrays import BOOL, I32
from authbench.core.errors import InputError
from authbench.core.records import length_bucket_expr
from authbench.release.format import columns
from authbench.release.format.names import reference_splits
from authbench.release.format.release import Release
from authbench.release.format.tables import concat
from authbench.scoring.evaluation.lists import Lists
from authbench.scoring.evaluation.released import Released, expect_answers, released
from authbench.scoring.evaluation.slices import facets, slices_of

_OF_PROVENANCE = ("origin", "topic", "date")
LABELS = "statistics/labels.csv"
_SHOWN = 5


@dataclass(frozen=True)
class Split:
    """The documents of a split, which of them are queries, and their answers.

    `documents` has a row per text: first the candidates by id (of equal scores the first wins), then the queries that
    are not candidates. Columns are `id`, `author_id`, TEXT_FIELDS, `length`, `primary_genre`, `topic` (the primary
    genre where the release has none) and, where available, `origin` and `date`. `asks` are the queries' rows, by id.
    `positives` and `excluded` (the query itself and ignored candidates) are rows of candidates, a list per query.
    `checksum` is over the files; `unverified` is the release's value; `released` contains its statements about pairs.
    `reference` are the texts of the splits `fitted_on`, on which models fit word frequencies; the candidates if None.
    `known_ids` gives the ids of the whole release.

    `unmeasured` are the sources of queries whose labels were not tested for naming a single person each; None: not
    stated.

    `benchmark` is the name of the release and `version` its version; None if it states none.
    """

    name: str
    documents: pl.DataFrame
    candidates: int
    asks: I32
    positives: Lists
    excluded: Lists
    checksum: str
    released: Released
    unverified: str = ""
    reference: Iterable[pl.DataFrame] | None = None
    fitted_on: str = "candidates"
    unmeasured: tuple[str, ...] | None = None
    benchmark: str | None = None
    version: str | None = None
    known_ids: Callable[[], Iterable[str]] = tuple

    @cached_property
    def pool_authors(self) -> dict[str, int]:
        """Return by language the number of authors of candidates."""
        pool = self.documents[: self.candidates]
        return dict(pool.group_by("lang").agg(pl.col("author_id").n_unique()).sort("lang").iter_rows())

    @cached_property
    def queries(self) -> pl.DataFrame:
        return self.documents[self.asks]

    @cached_property
    def facets(self) -> pl.DataFrame:
        """Return the columns that define slices, a row per query."""
        return facets(self.documents, self.asks, self.positives)

    @cached_property
    def slices(self) -> dict[tuple[str, str], BOOL]:
        """Return by facet and label which queries are in the slice."""
        return slices_of(self.facets)


def read_split(release: Release, name: str) -> Split:
    """Read a split of a release.

    Raises:
        InputError: a file, a field or an id is invalid.
    """
    folder = release.folder
    if name not in release.splits:
        raise InputError(f"{folder / name}: there is no such split. {folder} has {', '.join(release.splits)}.")
    candidates, queries, truth = (
        _read_table(release, name, table) for table in (columns.CANDIDATES, columns.QUERIES, columns.GROUND_TRUTH)
    )
    formats_bounds = release.setting("sample.length_bins") in (None, "fixed")
    own = () if formats_bounds else ("length_bucket",)
    provenance = release.read_provenance(("id", *_OF_PROVENANCE, *own)) if release.has_provenance else None
    ids = pl.Enum(pl.concat([candidates["candidate_id"], queries["query_id"]]).unique().sort())
    types = pl.Schema({"query_id": ids, "candidate_id": ids})
    positives = release.positives(name, types)
    pairs = release.pairs(name, pl.Schema({"pool": pl.Categorical(), **types}))
    checksum = split_checksum(release, name)
    split = make_split(name, candidates, queries, truth, checksum, provenance, positives, pairs)
    expect_answers(name, split.released, split.positives)
    benchmark = str(release.manifest["name"]) if "name" in release.manifest else None
    unmeasured = _unmeasured_sources(release, queries["source"])
    others = [other for other in reference_splits(release.splits, name) if other != name and _has_texts(release, other)]
    return replace(
        split,
        documents=split.documents.with_columns(**_of_sources(release.manifest.get("fame", {}), unmeasured)),
        unverified=release.unverified,
        reference=_Texts(release, tuple(others)) if others else None,
        fitted_on=", ".join(others) or split.fitted_on,
        unmeasured=unmeasured,
        benchmark=benchmark,
        version=release.version,
        known_ids=partial(_ids_of, release),
    )


def split_checksum(release: Release, name: str) -> str:
    """Return the SHA-256 over the digests of the files of a split, which identifies the data of scores."""
    checksum = hashlib.sha256()
    stated = [table for table in columns.PAIR_TABLES.values() if release.path(name, table).is_file()]
    for table in (*columns.SPLIT_TABLES.values(), *stated):
        with release.path(name, table).open("rb") as handle:
            checksum.update(hashlib.file_digest(handle, "sha256").digest())
    return checksum.hexdigest()


def _has_texts(release: Release, split: str) -> bool:
    """Return whether a split contains any text; a split of a public bundle may be empty."""
    return any(release.path(split, table).stat().st_size for table in (columns.CANDIDATES, columns.QUERIES))


def _ids_of(release: Release) -> Iterator[str]:
    """Yield the ids of all documents of a release."""
    if release.has_provenance:
        yield from release.read_provenance(("id",))["id"]
        return
    for split in release.splits:
        for table, column in ((columns.CANDIDATES, "candidate_id"), (columns.QUERIES, "query_id")):
            for batch in release.rows(split, table):
                yield from batch[column]


def _of_sources(fame: Mapping[str, str], unmeasured: tuple[str, ...] | None) -> dict[str, pl.Expr]:
    """Return what a release states about the source of a text: its `fame`, and whether its `labels` are `measured`.

    Labels are measured if they were tested for naming a single person. Null without a statement.
    """
    source, unknown = pl.col("source"), pl.lit(None, pl.String)
    labels = pl.when(source.is_in(unmeasured or ())).then(pl.lit("unmeasured")).otherwise(pl.lit("measured"))
    return {
        "fame": source.replace_strict(dict(fame), default=None, return_dtype=pl.String) if fame else unknown,
        "labels": unknown if unmeasured is None else labels,
    }


def _unmeasured_sources(release: Release, asked: pl.Series) -> tuple[str, ...] | None:
    """Return the queried sources that statistics/labels.csv names as unmeasured; None without that file."""
    path = release.folder / LABELS
    if not path.is_file():
        return None
    unmeasured = {row["source"] for row in read_decisions(path) if row["decision"] == UNMEASURED}
    return tuple(sorted(unmeasured & set(asked)))


@dataclass(frozen=True)
class _Texts:
    """The texts of some splits, read again in batches by each iteration."""

    release: Release
    splits: tuple[str, ...]

    def __iter__(self) -> Iterator[pl.DataFrame]:
        return chain.from_iterable(self.release.texts(split) for split in self.splits)


def read_dev(release: Release, name: str | None, scored: Split) -> Split | None:
    """Return the split on which shortcuts are compared; None if it is absent, without queries or the scored split."""
    if name is None or name not in release.splits or name == scored.name:
        return None
    asks = any(batch.height for batch in release.rows(name, columns.QUERIES))
    return read_split(release, name) if asks else None


def _read_table(release: Release, split: str, table: columns.Table) -> pl.DataFrame:
    rows = concat(release.rows(split, table), table)
    if not rows.height:
        raise InputError(f"{release.path(split, table)}: holds no row, so there is nothing to evaluate.")
    return rows


def make_split(
    name: str,
    candidates: pl.DataFrame,
    queries: pl.DataFrame,
    truth: pl.DataFrame,
    checksum: str = "",
    provenance: pl.DataFrame | None = None,
    stated_positives: pl.DataFrame | None = None,
    stated_pairs: pl.DataFrame | None = None,
) -> Split:
    """Join the tables of a split, the last two POSITIVES and PAIRS. Raises InputError if ids do not match."""
    pool = candidates.rename({"candidate_id": "id"}).sort("id")
    asking = queries.rename({"query_id": "id"}).sort("id")
    truth = truth.rename({"query_id": "id"}).sort("id")
    _expect_unique_ids(name, {"candidates": pool, "queries": asking, "ground_truth": truth})
    _expect_same_queries(name, asking, truth)
    apart = asking.join(truth.select("id", "author_id"), on="id", maintain_order="left").join(pool, on="id", how="anti")
    texts = ["id", "author_id", *columns.TEXT_FIELDS]
    documents = _describe(pl.concat([pool.select(texts), apart.select(texts)]), provenance)

    row = {ident: number for number, ident in enumerate(documents["id"])}
    in_pool = {ident: number for ident, number in row.items() if number < pool.height}
    positives, excluded, strangers = [], [], set()
    for query, answers, ignored in _answer_lists(truth):
        positives.append([in_pool[ident] for ident in answers - ignored if ident in in_pool])
        excluded.append([in_pool[ident] for ident in ignored if ident in in_pool])
        strangers |= answers.difference(in_pool) - {query}
    if strangers:
        raise InputError(
            f"{name}/ground_truth.jsonl names {len(strangers)} positives that are not candidates: "
            f"{', '.join(sorted(strangers)[:_SHOWN])}. Fetch the release anew."
        )
    answers_of = Lists.of(positives)
    return Split(
        name=name,
        documents=documents,
        candidates=pool.height,
        asks=np.array([row[ident] for ident in asking["id"]], np.int32),
        positives=answers_of,
        excluded=Lists.of(excluded),
        checksum=checksum,
        released=released(name, asking["id"].to_list(), in_pool, answers_of, stated_positives, stated_pairs),
    )


def _answer_lists(truth: pl.DataFrame) -> Iterator[tuple[str, set[str], set[str]]]:
    """Yield each query with the ids that answer it and the ids to ignore, including its own."""
    ignored = truth["ignored_ids"].to_list() if "ignored_ids" in truth.columns else [None] * truth.height
    for ident, answers, others in zip(truth["id"], truth["positive_ids"].to_list(), ignored, strict=True):
        yield ident, set(answers), {ident, *(others or ())}


def _describe(documents: pl.DataFrame, provenance: pl.DataFrame | None) -> pl.DataFrame:
    """Return the documents with their length bucket, their primary genre and columns of the release's provenance."""
    labelled = documents.with_columns(
        length=length_bucket_expr("token_length"), primary_genre=pl.col("genre").str.split("/").list.first()
    )
    if provenance is None:
        return labelled.with_columns(topic="primary_genre")
    known = labelled.join(provenance, on="id", how="left", maintain_order="left")
    if "length_bucket" in known.columns:
        known = known.with_columns(length=pl.coalesce("length_bucket", "length")).drop("length_bucket")
    return known.with_columns(topic=pl.coalesce("topic", "primary_genre"))


def _expect_unique_ids(name: str, tables: Mapping[str, pl.DataFrame]) -> None:
    for file, table in tables.items():
        twice = table["id"].filter(table["id"].is_duplicated()).unique().sort()
        if len(twice):
            raise InputError(f"{name}/{file}.jsonl: the id {twice[0]} occurs twice. Expected each once.")


def _expect_same_queries(name: str, queries: pl.DataFrame, truth: pl.DataFrame) -> None:
    for one, other, has, lacks in (
        (queries, truth, "queries", "ground_truth"),
        (truth, queries, "ground_truth", "queries"),
    ):
        ids = one.join(other, on="id", how="anti")["id"]
        if len(ids):
            raise InputError(
                f"{name}/{has}.jsonl has {len(ids)} queries that {name}/{lacks}.jsonl does not: "
                f"{', '.join(ids[:_SHOWN])}. Expected the same queries in both; fetch the release anew."
            )
