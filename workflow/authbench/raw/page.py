"""Show the contents of the raw corpora as an HTML page."""

from collections.abc import Mapping, Sequence

import polars as pl

from authbench.presentation.charts import Chart
from authbench.presentation.pages import environment, pictures
from authbench.presentation.palette import series
from authbench.presentation.plots import Stack, stacked_bars
from authbench.raw.tables import bin_names
from authbench.records import LENGTH_BUCKETS, primary_genre
from authbench.report.figures import lengths, shares
from authbench.words import language_name, spaced

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
    return (
        environment()
        .get_template("raw.html.j2")
        .render(
            back=back,
            name=name,
            documents=int(tables["sources"]["documents"].sum()),
            pictures=pictures(_charts(tables)),
            tables=[
                (title, tables[key].columns, [list(map(words, row)) for row in tables[key].iter_rows()])
                for key, title in TITLES.items()
            ],
        )
    )


def _charts(tables: Mapping[str, pl.DataFrame]) -> list[Chart]:
    """Return the charts of the tables."""
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
