"""How busy, and how uniform, is an author?

What gives a bot away is seen over all of an author's texts: counts of batches add up to the counts of the corpus.
"""

from collections.abc import Iterable

import polars as pl

VARIABLE = r"\[[A-Z]+\]|[\d\s]"  # placeholders of masked data, digits, white space: what a template fills in
FEWEST_TEXTS = 3  # of fewer, one alone would be a third of them


def count_activity(documents: pl.DataFrame) -> pl.DataFrame:
    """Texts of each author per day and per template: (author_id, kind, key, texts).

    `documents` has `author_id, date, content, chunk_start`; pieces of a longer text are no posts and do not count.
    A day is the first ten characters of `date`; a template is what is left of a text without its variable parts.
    """
    posts = documents.filter(pl.col("chunk_start").is_null())
    day = posts.select("author_id", kind=pl.lit("day"), key=pl.col("date").str.head(10)).drop_nulls("key")
    template = pl.col("content").str.replace_all(VARIABLE, "").hash().cast(pl.String)
    return _add(
        pl.concat([day, posts.select("author_id", kind=pl.lit("template"), key=template)]).with_columns(texts=1)
    )


def measure_authors(counts: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """(author_id, posts_per_day, template_share): the busiest day, and the share of the most frequent template.

    Null where there is no date, or fewer than three texts.
    """
    whole = _add(pl.concat(counts))
    busiest = whole.filter(pl.col("kind") == "day").group_by("author_id").agg(posts_per_day=pl.col("texts").max())
    share = pl.when(pl.col("texts").sum() >= FEWEST_TEXTS).then(pl.col("texts").max() / pl.col("texts").sum())
    uniform = whole.filter(pl.col("kind") == "template").group_by("author_id").agg(template_share=share)
    return uniform.join(busiest, on="author_id", how="left").select("author_id", "posts_per_day", "template_share")


def _add(counts: pl.DataFrame) -> pl.DataFrame:
    return counts.group_by("author_id", "kind", "key").agg(pl.col("texts").cast(pl.Int64).sum())
