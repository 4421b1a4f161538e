"""Measure how active, and how uniform, authors are.

Bots are recognised over all of an author's texts. Counts of batches and shards are summed over the corpus, for a part
of the authors at a time.
"""

from collections.abc import Iterable

import polars as pl

from authbench.build.filter.text_kernels import hash_texts

VARIABLE = r"\[[A-Z]+\]|[\d\s]"  # placeholders of masked data, digits, white space: the variable parts of a template
FEWEST_TEXTS = 3  # one of fewer texts would be over a third of them
PART = 5_000_000  # counts merged at a time

# How many texts an author has of a day, or of a template: `key` is its hash.
COUNTS = pl.Schema({"author_id": pl.String, "kind": pl.String, "key": pl.UInt64, "texts": pl.Int64})
AUTHORS = pl.Schema({"author_id": pl.String, "posts_per_day": pl.Int64, "template_share": pl.Float64})


def count_activity(documents: pl.DataFrame) -> pl.DataFrame:
    """Return COUNTS of texts per day and per template.

    `documents` has `author_id, date, content, chunk_start`; chunks of a longer text are not posts and do not count. A
    day is the first ten characters of `date`; a template is a text without its variable parts.
    """
    posts = documents.filter(pl.col("chunk_start").is_null())
    keys = {
        "day": posts["date"].str.head(10),
        "template": posts["content"].str.replace_all(VARIABLE, ""),
    }
    return add_counts(
        posts.select(
            "author_id", pl.lit(kind).alias("kind"), hash_texts(texts.fill_null("")).alias("key"), texts=pl.lit(1)
        ).filter(texts.is_not_null())
        for kind, texts in keys.items()
    )


def add_counts(counts: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Return the sum of COUNTS."""
    together = pl.concat([pl.DataFrame(schema=COUNTS), *(part.cast(COUNTS) for part in counts)])
    return together.group_by("author_id", "kind", "key").agg(pl.col("texts").sum())


def part_of(counts: pl.DataFrame, part: int, parts: int) -> pl.DataFrame:
    """Return the counts of a part of the authors."""
    return counts.filter(hash_texts(counts["author_id"]) % parts == part)


def measure_authors(counts: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Return AUTHORS of these counts: the texts of the busiest day, and the share of the most frequent template.

    Null without dates, or with fewer than three texts. Takes about 200 bytes per count.
    """
    whole = add_counts(counts)
    busiest = whole.filter(pl.col("kind") == "day").group_by("author_id").agg(posts_per_day=pl.col("texts").max())
    share = pl.when(pl.col("texts").sum() >= FEWEST_TEXTS).then(pl.col("texts").max() / pl.col("texts").sum())
    uniform = whole.filter(pl.col("kind") == "template").group_by("author_id").agg(template_share=share)
    return uniform.join(busiest, on="author_id", how="left").select(AUTHORS.names()).sort("author_id")
