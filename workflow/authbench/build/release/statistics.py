"""Make the tables for `statistics/*.csv`, the figures and the report (paper, section 4).

Frames of documents have a row per released document, with the columns split, lang, genre, source, author_id,
length_bucket and token_length.
"""

from collections.abc import Iterable, Sequence, Set

import polars as pl

from authbench.config.languages import ALL
from authbench.core.funnel import STAGES, FunnelRow
from authbench.core.records import LENGTH_BUCKETS
from authbench.release.format.columns import FUNNEL_ROWS

COLUMNS = ("id", "split", "lang", "genre", "source", "author_id", "length_bucket", "token_length")
QUANTILES = (10, 25, 50, 75, 90)


def tables(
    documents: pl.DataFrame, queries: pl.DataFrame, splits: Sequence[str], noisy: Set[str] = frozenset()
) -> dict[str, pl.DataFrame]:
    """Return every table of `statistics/` by its name; `noisy` are sources with noisy author labels."""
    documents = documents.select(COLUMNS)
    return {
        "languages": languages(documents, queries, splits),
        "genres": genres(documents),
        "lengths": lengths(documents),
        "documents_per_author": documents_per_author(documents),
        "token_lengths": token_lengths(documents),
        "sources": sources(documents, noisy),
    }


def languages(documents: pl.DataFrame, queries: pl.DataFrame, splits: Sequence[str]) -> pl.DataFrame:
    """Return language, split, documents, authors, queries: per split and language, with `all` of both."""
    asked = queries.select("query_id", "split")
    query_languages = asked.join(documents.select("id", "lang"), left_on="query_id", right_on="id", how="left")
    both = (
        everything(documents.select("lang", "split", "author_id"), "lang", "split")
        .group_by("lang", "split")
        .agg(*COUNTS)
    )
    asking = everything(query_languages, "lang", "split").group_by("lang", "split").agg(queries=pl.len())
    order = pl.Series([*splits, ALL])
    cells = both.select("lang").unique().join(order.to_frame("split"), how="cross")
    return (
        cells.join(both, on=("lang", "split"), how="left")
        .join(asking, on=("lang", "split"), how="left")
        .with_columns(pl.col("documents", "authors", "queries").fill_null(0).cast(pl.Int64))
        .sort(_last_is_all("lang"), "lang", pl.col("split").replace_strict(order, range(len(order))))
        .rename({"lang": "language"})
    )


def genres(documents: pl.DataFrame) -> pl.DataFrame:
    """Return language, genre, documents, authors, share (of the language's documents)."""
    return _shares(documents, "genre").sort(_last_is_all("language"), "language", "genre")


def lengths(documents: pl.DataFrame) -> pl.DataFrame:
    """Return language, length_bucket, documents, authors, share (of the language's documents)."""
    rank = pl.col("length_bucket").replace_strict(LENGTH_BUCKETS, range(len(LENGTH_BUCKETS)), default=9)
    return _shares(documents, "length_bucket").sort(_last_is_all("language"), "language", rank)


def documents_per_author(documents: pl.DataFrame) -> pl.DataFrame:
    """Return language, documents, authors: the number of authors with that many documents in the language."""
    return (
        everything(documents.select("lang", "author_id"), "lang")
        .group_by("lang", "author_id")
        .agg(documents=pl.len().cast(pl.Int64))
        .group_by(pl.col("lang").alias("language"), "documents")
        .agg(authors=pl.len().cast(pl.Int64))
        .sort(_last_is_all("language"), "language", "documents")
    )


def token_lengths(documents: pl.DataFrame) -> pl.DataFrame:
    """Return language, documents, and p10, p25, p50, p75, p90 of `token_length`, linearly interpolated."""
    at = [pl.col("token_length").quantile(point / 100, "linear").round(2).alias(f"p{point}") for point in QUANTILES]
    return (
        everything(documents.select("lang", "token_length"), "lang")
        .group_by(pl.col("lang").alias("language"))
        .agg(pl.len().cast(pl.Int64).alias("documents"), *at)
        .sort(_last_is_all("language"), "language")
    )


def sources(documents: pl.DataFrame, noisy: Set[str]) -> pl.DataFrame:
    """Return source, language, documents, authors, noisy (whether its author labels are noisy)."""
    counted = documents.group_by("source", pl.col("lang").alias("language")).agg(*COUNTS)
    return counted.with_columns(noisy=pl.col("source").is_in(sorted(noisy))).sort("source", "language")


COUNTS = (
    pl.len().cast(pl.Int64).alias("documents"),
    pl.col("author_id").n_unique().cast(pl.Int64).alias("authors"),
)


def _shares(documents: pl.DataFrame, column: str) -> pl.DataFrame:
    share = (pl.col("documents") / pl.col("documents").sum().over("language")).round(4)
    counted = (
        everything(documents.select("lang", column, "author_id"), "lang")
        .group_by(pl.col("lang").alias("language"), column)
        .agg(*COUNTS)
    )
    return counted.with_columns(share=share)


def everything(frame: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Return the frame with its rows repeated for each column, with `all` in that column."""
    for column in columns:
        frame = pl.concat([frame, frame.with_columns(pl.lit(ALL).alias(column))])
    return frame


def _last_is_all(column: str) -> pl.Expr:
    return pl.col(column) == ALL


def funnel_table(rows: Iterable[FunnelRow]) -> pl.DataFrame:
    """Return source, stage, reason, documents: entered, gained, dropped for each reason, and kept."""
    table = pl.DataFrame([tuple(map(row.get, FUNNEL_ROWS)) for row in rows], FUNNEL_ROWS, orient="row")
    stage = pl.col("stage").replace_strict(STAGES, range(len(STAGES)), default=len(STAGES))
    place = pl.col("reason").replace_strict(("in", "gained", "kept"), (0, 1, 3), default=2)
    return table.sort("source", stage, "stage", place, pl.col("documents").neg(), "reason")


def by_stage(funnel: pl.DataFrame) -> pl.DataFrame:
    """Return source, stage, in, gained, dropped, kept: a row per source and stage, in order."""
    reason = pl.col("reason")

    def of(name: str) -> pl.Expr:
        return pl.col("documents").filter(reason == name).sum().cast(pl.Int64)

    dropped = pl.col("documents").filter(~reason.is_in(["in", "gained", "kept"])).sum().cast(pl.Int64)
    return funnel.group_by("source", "stage", maintain_order=True).agg(
        of("in").alias("in"), of("gained").alias("gained"), dropped.alias("dropped"), of("kept").alias("kept")
    )


def unexplained(funnel: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of `by_stage` where in + gained differs from dropped + kept."""
    return by_stage(funnel).filter(pl.col("in") + pl.col("gained") != pl.col("dropped") + pl.col("kept"))
