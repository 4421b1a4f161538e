"""Which documents of each author, and which authors of each bucket, may still be needed?

A streaming reservoir (AuthBench paper, A.5) in which chance is a keyed hash of identity: an author keeps the
documents with the smallest ranks, a bucket the authors with the smallest ranks. Reservoirs of parts merge into the
reservoir of the whole, whatever the parts or their order.
"""

import polars as pl

from authbench.identity import keyed_hashes

AUTHOR = ("lang", "source", "author_id")
POOL_COLUMNS = (*AUTHOR, "author_kind", "doc_key", "origin_id", "genre", "task", "token_length", "length_bucket")


def rank_documents(documents: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Add `rank`, the keyed hash of each document's identity."""
    return documents.with_columns(keyed_hashes(seed, "document", documents["doc_key"]).alias("rank"))


def keep_per_author(ranked: pl.DataFrame, size: int) -> pl.DataFrame:
    """The `size` smallest ranks of each author and length bucket: enough for `trim_authors` on any union of parts."""
    place = pl.col("rank").rank("ordinal").over(*AUTHOR, "length_bucket")
    return ranked.filter(place <= size)


def trim_authors(ranked: pl.DataFrame, size: int) -> pl.DataFrame:
    """The `size` documents of each author taken in turn from the author's length buckets, smallest ranks first.

    Adds `turn`, the document's place in its author's reservoir, from 0.
    """
    round_ = pl.col("rank").rank("ordinal").over(*AUTHOR, "length_bucket")
    return (
        ranked.with_columns(round_.alias("round"))
        .sort(*AUTHOR, "round", "rank", "doc_key")
        .with_columns((pl.int_range(pl.len()).over(*AUTHOR)).alias("turn"))
        .filter(pl.col("turn") < size)
        .drop("round")
    )


def tally_authors(documents: pl.DataFrame, min_origins: int) -> pl.DataFrame:
    """Documents per author, and up to `min_origins` of their origins. Tallies of parts add up by `merge_tallies`."""
    return documents.group_by(*AUTHOR).agg(
        pl.col("author_kind").min(),
        pl.len().cast(pl.Int64).alias("documents"),
        pl.col("origin_id").unique().sort().head(min_origins).alias("origins"),
    )


def merge_tallies(tallies: pl.DataFrame, min_origins: int) -> pl.DataFrame:
    return tallies.group_by(*AUTHOR).agg(
        pl.col("author_kind").min(),
        pl.col("documents").sum(),
        pl.col("origins").explode().unique().sort().head(min_origins),
    )


def rank_authors(authors: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Add `author_rank`, the keyed hash of each author's identity."""
    names = authors.select(pl.concat_str(AUTHOR, separator="\x1f")).to_series()
    return authors.with_columns(keyed_hashes(seed, "author", names).alias("author_rank"))


def keep_per_bucket(pool: pl.DataFrame, authors: int) -> pl.DataFrame:
    """Leave out authors who are not among the first `authors` of any bucket (lang, length, genre, task) they have."""
    bucket = ["lang", "length_bucket", "genre", "task"]
    first = (
        pool.select(*dict.fromkeys((*AUTHOR, *bucket, "author_rank")))
        .unique()
        .with_columns(pl.col("author_rank").rank("ordinal").over(bucket).alias("place"))
    )
    needed = first.filter(pl.col("place") <= authors).select(AUTHOR).unique()
    return pool.join(needed, on=AUTHOR, how="semi")
