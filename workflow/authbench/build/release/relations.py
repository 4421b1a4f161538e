"""Relate two texts of an author: what they may share besides style."""

from itertools import pairwise

import numpy as np
import polars as pl

from authbench.core.arrays import Sparse
from authbench.release.format.columns import POSITIVES

RELATIONS = pl.Schema([("split", pl.String()), *POSITIVES.schema.items()])
_DATE = "%Y-%m-%d"
_GAP = 4  # characters between two consecutive chunks of a text
_PAIRS_AT_ONCE = 50_000
_NEEDED = (
    *("id", "split", "author_id", "source", "file", "ordinal", "origin", "chunk_start", "chunk_end", "date"),
    "token_length",
)


def relate(documents: pl.DataFrame, queries: pl.DataFrame, shared: bool, vectors: object) -> pl.DataFrame:
    """Return every ordered pair of a query and another candidate of its author (RELATIONS), by query and candidate.

    Memory: the result, 70 bytes per pair, and the columns that describe the pairs of some queries.

    Args:
        documents: columns records.DOCUMENT, id, split and origin.
        queries: columns split and query_id.
        shared: whether queries are candidates as well.
        vectors: the content words of each document (content_words.content_vectors), rows in the order of `documents`.
    """
    texts = documents.select(
        *_NEEDED, pl.col("date").str.to_date(_DATE, strict=False).alias("day"), row=pl.int_range(pl.len())
    )
    is_query = pl.col("id").is_in(queries["query_id"].implode())
    pool = texts if shared else texts.filter(~is_query)
    asking = texts.filter(is_query).sort("id")
    sizes = pool.group_by("split", "author_id").len("met")
    met = asking.select("split", "author_id").join(sizes, on=("split", "author_id"), how="left", maintain_order="left")
    part = np.cumsum(met["met"].fill_null(0).to_numpy(), dtype=np.int64) // _PAIRS_AT_ONCE
    ends = [*np.flatnonzero(np.diff(part)) + 1, asking.height]
    found = [_related(asking[start:end], pool, vectors) for start, end in pairwise([0, *ends])]
    return pl.concat([pl.DataFrame(schema=RELATIONS), *found])


def _related(asking: pl.DataFrame, pool: pl.DataFrame, vectors: object) -> pl.DataFrame:
    """Return the pairs of some queries, sorted by id, with the others of the pool (RELATIONS)."""
    pairs = asking.join(pool, on=("split", "author_id"), suffix="_of_candidate")
    pairs = pairs.filter(pl.col("id") != pl.col("id_of_candidate"))
    pairs = pairs.with_columns(
        _similarities(vectors, pairs["row"].to_numpy(), pairs["row_of_candidate"].to_numpy()),
        one_file=_equal("source") & _equal("file"),
    )
    one_record = pl.col("one_file") & _equal("ordinal")
    steps = (pl.col("ordinal") - pl.col("ordinal_of_candidate")).abs()
    gaps = [
        pl.col("chunk_start_of_candidate") - pl.col("chunk_end"),
        pl.col("chunk_start") - pl.col("chunk_end_of_candidate"),
    ]
    follows = one_record & pl.any_horizontal(gap.is_between(0, _GAP).fill_null(False) for gap in gaps)
    lengths = pl.col("token_length", "token_length_of_candidate")
    days = (pl.col("day") - pl.col("day_of_candidate")).dt.total_days().abs()
    year, other = (pl.col(name).str.slice(0, 4).cast(pl.Int32, strict=False) for name in ("date", "date_of_candidate"))
    return pairs.select(
        "split",
        pl.col("id").alias("query_id"),
        pl.col("id_of_candidate").alias("candidate_id"),
        one_record.alias("same_document"),
        (one_record | _equal("origin")).alias("same_work"),
        (follows | (pl.col("one_file") & (steps == 1))).fill_null(False).alias("adjacent"),
        days.cast(pl.Int32).alias("days"),
        "topic_similarity",
        (pl.max_horizontal(lengths) / pl.min_horizontal(lengths)).cast(pl.Float32).alias("length_ratio"),
        pl.when(days.is_null()).then((year - other).abs()).alias("years"),
    ).sort("query_id", "candidate_id")


def _equal(column: str) -> pl.Expr:
    return (pl.col(column) == pl.col(f"{column}_of_candidate")).fill_null(False)


def _similarities(vectors: Sparse, rows: np.ndarray, others: np.ndarray) -> pl.Series:
    """Return the cosines of pairs of rows; null if a row is empty."""
    from authbench.core.product_kernels import products_of_pairs

    found = products_of_pairs(vectors, rows, others)
    sizes = np.diff(vectors.indptr)
    empty = (sizes[rows] == 0) | (sizes[others] == 0)
    return pl.select(pl.when(pl.Series(~empty)).then(pl.Series(found)).alias("topic_similarity")).to_series()
