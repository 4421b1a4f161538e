"""Show the contents of the raw corpora as an HTML page."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl

from authbench.config.languages import language_name
from authbench.core.json_values import JsonMapping
from authbench.core.presentation.charts import Chart
from authbench.core.presentation.pages import environment
from authbench.core.presentation.palette import series
from authbench.core.presentation.plots import Stack, stacked_bars
from authbench.core.records import LENGTH_BUCKETS, length_bucket_expr, primary_genre
from authbench.core.words import spaced
from authbench.reports.report.figures import lengths, shares

QUANTILES = (10, 25, 50, 75, 90)
# Upper ends of the bins of documents per author; the last bin is open.
PER_AUTHOR = (1, 2, 5, 10, 50)


def tables(
    texts: pl.DataFrame, authors: pl.DataFrame, ingested: Iterable[Mapping[str, object]]
) -> dict[str, pl.DataFrame]:
    """Return the tables by name, from the results of `count_records` and the counts of ingestion."""
    return {
        "sources": sources(texts, authors),
        "left_out": left_out(ingested),
        "languages": _shares(texts, "lang", "language"),
        "genres": _shares(texts, "genre", "genre"),
        "lengths": _length_buckets(texts),
        "token_lengths": token_lengths(texts),
        "documents_per_author": documents_per_author(authors),
    }


def sources(texts: pl.DataFrame, authors: pl.DataFrame) -> pl.DataFrame:
    """Return documents, tokens, languages, genres, authors, authors_of_3 and most of each source.

    authors_of_3 counts authors with at least three documents; most is the largest number of documents of an author.
    """
    by_text = texts.group_by("source").agg(
        pl.col("documents").sum(),
        tokens=(pl.col("tokens") * pl.col("documents")).sum(),
        languages=pl.col("lang").n_unique().cast(pl.Int64),
        genres=pl.col("genre").n_unique().cast(pl.Int64),
    )
    by_author = authors.group_by("source").agg(
        authors=pl.len().cast(pl.Int64),
        authors_of_3=(pl.col("documents") >= 3).sum().cast(pl.Int64),
        most=pl.col("documents").max(),
    )
    return by_text.join(by_author, on="source").sort("source")


def left_out(ingested: Iterable[JsonMapping]) -> pl.DataFrame:
    """Return source, rows (in the files), reason, left_out: records that did not become documents."""
    rows = [
        (source, counts["in"], reason, number)
        for part in ingested
        for source, counts in part["sources"].items()
        for reason, number in counts["dropped"].items()
    ]
    schema = {"source": pl.String, "rows": pl.Int64, "reason": pl.String, "left_out": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row").sort("source", "reason")


def _shares(texts: pl.DataFrame, column: str, name: str) -> pl.DataFrame:
    """Return source, language or genre, documents, share (of the source's documents)."""
    counted = texts.group_by("source", pl.col(column).alias(name)).agg(pl.col("documents").sum())
    share = (pl.col("documents") / pl.col("documents").sum().over("source")).round(4)
    return counted.with_columns(share=share).sort("source", name)


def _length_buckets(texts: pl.DataFrame) -> pl.DataFrame:
    """Return source, length_bucket, documents, share (of the source's documents)."""
    found = _shares(texts.with_columns(bucket=length_bucket_expr("tokens")), "bucket", "length_bucket")
    rank = pl.col("length_bucket").replace_strict(LENGTH_BUCKETS, range(len(LENGTH_BUCKETS)))
    return found.sort("source", rank)


def token_lengths(texts: pl.DataFrame) -> pl.DataFrame:
    """Return source, documents, mean, p10, p25, p50, p75, p90 of tokens per document, linearly interpolated."""
    rows = []
    for (source,), part in texts.group_by("source", maintain_order=True):
        counted = part.group_by("tokens").agg(pl.col("documents").sum()).sort("tokens")
        tokens, documents = counted["tokens"].to_numpy(), counted["documents"].to_numpy()
        mean = float((tokens * documents).sum() / documents.sum())
        at = {f"p{point}": quantile(tokens, documents, point / 100) for point in QUANTILES}
        rows.append({"source": source, "documents": int(documents.sum()), "mean": round(mean, 2), **at})
    schema = {"source": pl.String, "documents": pl.Int64, "mean": pl.Float64}
    schema |= dict.fromkeys((f"p{point}" for point in QUANTILES), pl.Float64)
    return pl.DataFrame(rows, schema=schema).sort("source")


def quantile(values: np.ndarray, weights: np.ndarray, share: float) -> float:
    """Return the quantile of weighted values, equal to `numpy.quantile` of each value repeated by its weight.

    Args:
        values: shape (n,), ascending.
        weights: shape (n,), counts.
        share: in [0, 1].

    >>> quantile(np.array([1, 5]), np.array([3, 1]), 0.5)
    1.0
    """
    ends = np.cumsum(weights)
    place = share * (ends[-1] - 1)
    low, high = (int(values[np.searchsorted(ends, np.floor(at), side="right")]) for at in (place, np.ceil(place)))
    return round(low + (high - low) * float(place - np.floor(place)), 2)


def documents_per_author(authors: pl.DataFrame) -> pl.DataFrame:
    """Return source, documents (1, 2, 3-5, 6-10, 11-50, 51 or more), authors, share (of the source's authors)."""
    names = bin_names()
    place = np.searchsorted(PER_AUTHOR, authors["documents"].to_numpy(), side="left")
    binned = authors.with_columns(documents=pl.Series(names, dtype=pl.String).gather(place))
    counted = binned.group_by("source", "documents").agg(authors=pl.len().cast(pl.Int64))
    share = (pl.col("authors") / pl.col("authors").sum().over("source")).round(4)
    rank = pl.col("documents").replace_strict(names, range(len(names)))
    return counted.with_columns(share=share).sort("source", rank)


def bin_names() -> list[str]:
    """Return the bins of PER_AUTHOR in words.

    >>> bin_names()
    ['1', '2', '3-5', '6-10', '11-50', '51 or more']
    """
    starts = [1, *(end + 1 for end in PER_AUTHOR)]
    closed = [str(end) if start == end else f"{start}-{end}" for start, end in zip(starts, PER_AUTHOR, strict=False)]
    return [*closed, f"{starts[-1]} or more"]


TITLES = {
    "sources": "Sources",
    "left_out": "What did not become a document",
    "token_lengths": "Tokens a document",
    "languages": "Languages",
    "genres": "Genres",
    "lengths": "Lengths",
    "documents_per_author": "Documents an author has",
}


def render(name: str, tables: Mapping[str, pl.DataFrame], back: str = "") -> str:
    """Return a self-contained page with the charts and all tables; `back` links to the run's index."""
    page = environment().get_template("raw.html.j2")
    return page.render(
        back=back,
        name=name,
        documents=int(tables["sources"]["documents"].sum()),
        pictures=_charts(tables),
        tables=[
            (title, tables[key].columns, [list(map(words, row)) for row in tables[key].iter_rows()])
            for key, title in TITLES.items()
        ],
    )


def _charts(tables: Mapping[str, pl.DataFrame]) -> list[Chart]:
    genres = tables["genres"].with_columns(
        genre=pl.Series([primary_genre(genre) for genre in tables["genres"]["genre"]], dtype=pl.String)
    )
    per_source = tables["token_lengths"].rename({"source": "language"})
    per_author = tables["documents_per_author"]
    return [
        lengths(per_source, "token_lengths", "Tokens a document"),
        _stacked("lengths", tables["lengths"], "length_bucket", LENGTH_BUCKETS),
        _stacked("languages", tables["languages"], "language"),
        _stacked("genres", genres, "genre"),
        _stacked("documents_per_author", per_author, "documents", bin_names(), "authors"),
    ]


def _stacked(
    name: str, table: pl.DataFrame, column: str, order: Sequence[str] = (), counted: str = "documents"
) -> Chart:
    """Return a bar per source, divided by a column's values; `counted` is the unit of the counts."""
    values = table.group_by(column).agg(pl.col(counted).sum()).sort(-pl.col(counted), column)[column].to_list()
    values = [value for value in order if value in values] if order else values
    colours = series(values)
    bars = []
    for (source,), part in table.group_by("source", maintain_order=True):
        counts: dict[str, int] = {}
        for value, number in part.select(column, counted).iter_rows():
            counts[value] = counts.get(value, 0) + number
        bars.append(Stack(str(source), shares(counts, colours)))
    legend = {spaced(language_name(value)): colour for value, colour in colours.items()}
    about = f"{counted.capitalize()} of each source: a bar a source, divided by {spaced(column)}."
    return stacked_bars(f"raw_{name}", TITLES[name], about, legend, bars)


def words(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.4g}" if value < 1 else f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
