"""Keep those documents of each author, and authors of each bucket, that may still be needed.

A streaming reservoir (AuthBench paper, A.5) in which chance is a keyed hash of identity: an author keeps the
documents with the smallest ranks, a bucket the authors with the smallest ranks. Reservoirs of shards merge into the
reservoir of the whole, whatever the shards or their order.

Neither names nor texts are needed to select, so a document is the shard and row where it stands, and an author the
hash that ranks him: with 10^7 authors of one source, two share a hash in one of 400,000 builds, and `stage` refuses
to go on if they do.
"""

from collections.abc import Iterable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from authbench.identity import keyed_hashes
from authbench.records import AUTHOR_KINDS, LENGTH_BUCKETS

AUTHOR = ("lang", "source", "author_id")
RANKED_AUTHOR = ("lang", "author_rank", "source")
POOL_COLUMNS = (*AUTHOR, "author_kind", "doc_key", "origin_id", "genre", "task", "token_length", "length_bucket")

# A shard's documents that may be needed: the author's row among the shard's TALLIES, the document's in its shard.
RESERVOIR = pl.Schema(
    {
        "author": pl.UInt32,
        "row": pl.UInt32,
        "rank": pl.UInt64,
        "origin": pl.UInt64,
        "genre": pl.String,
        "task": pl.String,
        "token_length": pl.Int32,
        "length_bucket": pl.String,
    }
)
# A shard's authors: how many documents they have, and hashes of some of their works.
TALLIES = pl.Schema(
    {
        "lang": pl.String(),
        "source": pl.String(),
        "author_rank": pl.UInt64(),
        "author_kind": pl.String(),
        "documents": pl.Int64(),
        "origins": pl.List(pl.UInt64),
    }
)
LENGTHS = pl.Schema({"lang": pl.String, "token_length": pl.Int32, "documents": pl.UInt32})

LENGTH = pl.Enum(LENGTH_BUCKETS)
KIND = pl.Enum(sorted(AUTHOR_KINDS))


def fill_reservoir(
    documents: pl.DataFrame, seed: int, size: int, min_origins: int
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return what a shard's documents (POOL_COLUMNS and `row`) give: (RESERVOIR, TALLIES).

    Of each author and length bucket the `size` documents of smallest rank stay, enough for `trim_authors` on any union
    of shards; an author's tally counts all his documents and keeps the `min_origins` smallest hashes of their works.
    """
    hashed = documents.with_columns(
        keyed_hashes(seed, "document", documents["doc_key"]).alias("rank"),
        keyed_hashes(0, "origin", documents["origin_id"]).alias("origin"),
    )
    authors = (
        hashed.group_by(AUTHOR)
        .agg(
            pl.col("author_kind").min(),
            pl.len().cast(pl.Int64).alias("documents"),
            pl.col("origin").unique().sort().head(min_origins).alias("origins"),
        )
        .sort(AUTHOR)
        .with_columns(author=pl.int_range(pl.len(), dtype=pl.UInt32))
    )
    ranked = hashed.join(authors.select(*AUTHOR, "author"), on=AUTHOR).sort(
        "author", "length_bucket", "rank", "doc_key"
    )
    reservoir = ranked.filter(_places(ranked, "author", "length_bucket") < size)
    names = authors.select(pl.concat_str(AUTHOR, separator="\x1f")).to_series()
    tallies = authors.with_columns(author_rank=keyed_hashes(seed, "author", names))
    return reservoir.select(RESERVOIR.names()).cast(RESERVOIR), tallies.select(TALLIES.names()).cast(TALLIES)


def merge_tallies(tallies: Iterable[pl.DataFrame], min_origins: int) -> tuple[pl.DataFrame, list[NDArray[np.uint32]]]:
    """Return the tallies of all shards as one (TALLIES, in the order of selection), and each shard's rows in that."""
    compact = pl.Schema({"lang": pl.Categorical(), "source": pl.Categorical(), "author_kind": KIND})
    shards = [part.cast(compact) for part in tallies]
    together = pl.concat([pl.DataFrame(schema=TALLIES).cast(compact), *shards])
    whole = (
        together.group_by(RANKED_AUTHOR)
        .agg(
            pl.col("author_kind").min(),
            pl.col("documents").sum(),
            pl.col("origins").explode().unique().sort().head(min_origins),
        )
        .sort(RANKED_AUTHOR)
    )
    numbered = whole.select(*RANKED_AUTHOR, author=pl.int_range(pl.len(), dtype=pl.UInt32))
    rows = together.select(RANKED_AUTHOR).join(numbered, on=RANKED_AUTHOR, how="left", maintain_order="left")["author"]
    return whole.select(TALLIES.names()), np.split(rows.to_numpy(), np.cumsum([part.height for part in shards])[:-1])


def trim_authors(pool: pl.DataFrame, size: int) -> pl.DataFrame:
    """Return the `size` documents of each author taken in turn from the author's length buckets, smallest ranks first.

    `pool` has `author, length_bucket, rank`; what stays is sorted by author and turn.
    """
    by_length = pool.sort("author", "length_bucket", "rank")
    in_turn = by_length.with_columns(_places(by_length, "author", "length_bucket").alias("round")).sort(
        "author", "round", "rank"
    )
    return in_turn.filter(_places(in_turn, "author") < size).drop("round")


def keep_per_bucket(pool: pl.DataFrame, authors: int) -> pl.DataFrame:
    """Leave out authors who are not among the first `authors` of any bucket (lang, length, genre, task) they have.

    `pool` is sorted by author.
    """
    bucket = ("lang", "length_bucket", "genre", "task")
    first = pool.select(*bucket, "author").unique().sort(*bucket, "author")
    needed = first.filter(_places(first, *bucket) < authors)["author"].unique()
    return pool.filter(pl.col("author").is_in(needed.implode()))


def _places(ordered: pl.DataFrame, *columns: str) -> pl.Series:
    """Return of every row its place, from 0, among neighbouring rows with the same values."""
    changed = ordered.select(pl.any_horizontal(pl.col(columns).ne_missing(pl.col(columns).shift()))).to_series()
    rows = np.arange(ordered.height)
    return pl.Series("place", rows - np.maximum.accumulate(np.where(changed.to_numpy(), rows, 0)))
