"""Keep the documents of each author, and the authors of each bucket, that may still be needed.

A streaming reservoir (AuthBench paper, A.5) in which chance is a keyed hash of identity. An author keeps the documents
with the smallest ranks, a text of each work before a second of any; a bucket keeps the authors with the smallest ranks.
Reservoirs of shards merge into the reservoir of the whole, independent of the shards and their order.

Selection needs neither names nor texts. A document is identified by its shard and row, and an author by the hash that
ranks them. With 10^7 authors of a source, two share a hash in 1 of 400,000 builds, and `stage` then stops with an
error.
"""

from collections.abc import Iterable

import numpy as np
import polars as pl

from authbench.core.arrays import U32
from authbench.core.identity import keyed_hashes
from authbench.core.records import AUTHOR_KINDS, LENGTH_BUCKETS

AUTHOR = ("lang", "source", "author_id")
RANKED_AUTHOR = ("lang", "author_rank", "source")
POOL_COLUMNS = (
    *AUTHOR, "author_kind", "doc_key", "origin_id", "genre", "task", "topic", "date", "token_length", "length_bucket"
)  # fmt: skip

# A shard's documents that may be needed: the author's row among the shard's TALLIES, the document's in its shard. `day`
# counts from 1970-01-01 (null: unknown), `topic` is a hash of the source's label (0: none).
RESERVOIR = pl.Schema(
    {
        "author": pl.UInt32,
        "row": pl.UInt32,
        "rank": pl.UInt64,
        "origin": pl.UInt64,
        "day": pl.Int32,
        "topic": pl.UInt32,
        "genre": pl.String,
        "task": pl.String,
        "token_length": pl.Int32,
        "length_bucket": pl.String,
    }
)
# A shard's authors: their number of documents, hashes of some of their works, and whether they are train-only.
TALLIES = pl.Schema(
    {
        "lang": pl.String(),
        "source": pl.String(),
        "author_rank": pl.UInt64(),
        "author_kind": pl.String(),
        "documents": pl.Int64(),
        "origins": pl.List(pl.UInt64),
        "train_only": pl.Boolean(),
    }
)
LENGTHS = pl.Schema({"lang": pl.String, "token_length": pl.Int32, "documents": pl.UInt32, "characters": pl.Int64})

_SORTED_AT_ONCE = 1_000_000  # documents
LENGTH = pl.Enum(LENGTH_BUCKETS)
KIND = pl.Enum(sorted(AUTHOR_KINDS))


def count_lengths(pool: pl.DataFrame) -> pl.DataFrame:
    """Count documents and their characters by language and length in tokens (LENGTHS)."""
    counted = pool.group_by("lang", "token_length").agg(
        pl.len().alias("documents"), pl.col("char_length").cast(pl.Int64).sum().alias("characters")
    )
    return counted.sort("lang", "token_length").cast(LENGTHS)


def fill_reservoir(
    documents: pl.DataFrame,
    seed: int,
    size: int,
    min_origins: int,
    spread: bool = True,
    impure: pl.DataFrame | None = None,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the reservoir and the tallies of a shard's documents (POOL_COLUMNS and `row`): (RESERVOIR, TALLIES).

    Of each author and length bucket the first `size` documents are kept: with `spread`, a document of each work before
    a second of any, else by rank only. That is enough for `trim_authors` on any union of shards: a document preceded by
    `size` others of its shard is preceded by as many in the union, of the same works or with smaller ranks. An author's
    tally counts all the author's documents and keeps the `min_origins` smallest hashes of their works.

    Args:
        documents: POOL_COLUMNS and `row`.
        seed: random seed of the ranks.
        size: documents of an author and length bucket.
        min_origins: hashes of works in a tally.
        spread: whether works alternate.
        impure: authors (source, author_id) whose labels are too noisy for testing; they are train-only, as works are.
    """
    hashed = documents.with_columns(
        keyed_hashes(seed, "document", documents["doc_key"]).alias("rank"),
        keyed_hashes(0, "origin", documents["origin_id"]).alias("origin"),
        _days(documents["date"]).alias("day"),
        pl.when(pl.col("topic").is_null()).then(0).otherwise(_topics(documents["topic"])).alias("topic"),
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
    noisy = pl.DataFrame(schema={"source": pl.String, "author_id": pl.String}) if impure is None else impure
    authors = authors.join(
        noisy.select("source", "author_id", impure=True).unique(), on=["source", "author_id"], how="left",
        maintain_order="left",
    ).with_columns(train_only=pl.col("impure").fill_null(value=False) | (pl.col("author_kind") == "work"))  # fmt: skip
    ranked = _in_turn(hashed.join(authors.select(*AUTHOR, "author"), on=AUTHOR), spread, "rank", "doc_key")
    reservoir = ranked.filter(_places(ranked, "author", "length_bucket") < size)
    names = authors.select(pl.concat_str(AUTHOR, separator="\x1f")).to_series()
    tallies = authors.with_columns(author_rank=keyed_hashes(seed, "author", names))
    return reservoir.select(RESERVOIR.names()).cast(RESERVOIR), tallies.select(TALLIES.names()).cast(TALLIES)


def merge_tallies(tallies: Iterable[pl.DataFrame], min_origins: int) -> tuple[pl.DataFrame, list[U32]]:
    """Merge the tallies of all shards (TALLIES, in the order of selection), and map each shard's rows to the result.

    Returns:
        The table, and for each shard a row of it by row of the shard's tallies, shape (rows of the shard,).
    """
    compact = pl.Schema({"lang": pl.Categorical(), "source": pl.Categorical(), "author_kind": KIND})
    shards = [part.cast(compact) for part in tallies]
    together = pl.concat([pl.DataFrame(schema=TALLIES).cast(compact), *shards])
    whole = (
        together.group_by(RANKED_AUTHOR)
        .agg(
            pl.col("author_kind").min(),
            pl.col("documents").sum(),
            pl.col("origins").explode().unique().sort().head(min_origins),
            pl.col("train_only").any(),
        )
        .sort(RANKED_AUTHOR)
    )
    numbered = whole.select(*RANKED_AUTHOR, author=pl.int_range(pl.len(), dtype=pl.UInt32))
    rows = together.select(RANKED_AUTHOR).join(numbered, on=RANKED_AUTHOR, how="left", maintain_order="left")["author"]
    return whole.select(TALLIES.names()), np.split(rows.to_numpy(), np.cumsum([part.height for part in shards])[:-1])


def trim_authors(pool: pl.DataFrame, size: int, spread: bool = True) -> pl.DataFrame:
    """Return the `size` documents of each author taken in turn from the author's length buckets.

    Within a bucket the order is as in `fill_reservoir`. `pool` has `author, length_bucket, origin, rank`; the result is
    sorted by author and turn. Some 10^6 documents are sorted at a time.
    """
    authors = int(pool["author"].max() or 0) + 1  # type: ignore[arg-type]
    step = max(1, authors * _SORTED_AT_ONCE // max(1, pool.height))
    blocks = (pool.filter(pl.col("author").is_between(at, at + step - 1)) for at in range(0, authors, step))
    return pl.concat(_trimmed(block, size, spread) for block in blocks)


def _trimmed(pool: pl.DataFrame, size: int, spread: bool) -> pl.DataFrame:
    by_length = _in_turn(pool, spread, "rank")
    in_turn = by_length.with_columns(_places(by_length, "author", "length_bucket").alias("round")).sort(
        "author", "round", "rank"
    )
    return in_turn.filter(_places(in_turn, "author") < size).drop("round")


def keep_per_bucket(pool: pl.DataFrame, authors: int) -> pl.DataFrame:
    """Drop authors who are not among the first `authors` of any of their buckets (lang, length, genre, task).

    `pool` is sorted by author.
    """
    bucket = ("lang", "length_bucket", "genre", "task")
    first = pool.select(*bucket, "author").unique().sort(*bucket, "author")
    needed = first.filter(_places(first, *bucket) < authors)["author"].unique()
    return pool.filter(pl.col("author").is_in(needed.implode()))


def _in_turn(documents: pl.DataFrame, spread: bool, *order: str) -> pl.DataFrame:
    """Return the documents of each author and length bucket in order, with works alternating if `spread`."""
    bucket = ("author", "length_bucket")
    if not spread:
        return documents.sort(*bucket, *order)
    by_work = documents.sort(*bucket, "origin", *order)
    turns = by_work.with_columns(_places(by_work, *bucket, "origin").alias("turn"))
    return turns.sort(*bucket, "turn", *order).drop("turn")


def _days(dates: pl.Series) -> pl.Series:
    """Return days since 1970-01-01 of ISO dates; for a year or a month its middle, null for other values."""
    known = dates.str.extract(r"^(\d{4}(?:-\d\d){0,2})(?:$|[^\d-])")
    middle = pl.when(known.str.len_chars() == 4).then(known + "-07-01")
    day = middle.when(known.str.len_chars() == 7).then(known + "-15").otherwise(known)
    return pl.select(day.str.to_date("%Y-%m-%d", strict=False).cast(pl.Int32)).to_series()


def _topics(labels: pl.Series) -> pl.Series:
    """Return a hash of each label, from 1 on."""
    names = labels.unique().drop_nulls()
    if names.is_empty():
        return pl.repeat(0, len(labels), dtype=pl.UInt32, eager=True)
    hashes = (keyed_hashes(0, "topic", names) % (2**32 - 1) + 1).cast(pl.UInt32)
    return labels.replace_strict(names, hashes, default=None, return_dtype=pl.UInt32)


def _places(ordered: pl.DataFrame, *columns: str) -> pl.Series:
    """Return the place of every row, from 0, among adjacent rows with the same values."""
    changed = ordered.select(pl.any_horizontal(pl.col(columns).ne_missing(pl.col(columns).shift()))).to_series()
    rows = np.arange(ordered.height)
    return pl.Series("place", rows - np.maximum.accumulate(np.where(changed.to_numpy(), rows, 0)))
