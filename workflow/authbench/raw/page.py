"""How is it shown what the raw corpora hold?"""

from collections.abc import Mapping, Sequence

import polars as pl
from markupsafe import Markup

from authbench.raw.tables import bin_names
from authbench.records import LENGTH_BUCKETS, primary_genre
from authbench.report import figures
from authbench.report.template import environment
from authbench.words import language_name

MORE_COLOURS = ("#44546a", "#b8c400", "#7a2e2e")  # there are eleven languages
TITLES = {
    "sources": "Sources",
    "left_out": "What did not become a document",
    "token_lengths": "Tokens a document",
    "languages": "Languages",
    "genres": "Genres",
    "lengths": "Lengths",
    "documents_per_author": "Documents an author has",
}


def render(name: str, tables: Mapping[str, pl.DataFrame]) -> str:
    """One page that loads nothing, with the drawings and all tables."""
    return (
        environment()
        .get_template("raw.html.j2")
        .render(
            name=name,
            documents=int(tables["sources"]["documents"].sum()),
            pictures=[(caption, Markup(picture)) for caption, picture in pictures(tables).values()],
            tables=[
                (title, tables[key].columns, [list(map(words, row)) for row in tables[key].iter_rows()])
                for key, title in TITLES.items()
            ],
        )
    )


def pictures(tables: Mapping[str, pl.DataFrame]) -> dict[str, tuple[str, str]]:
    """Captions and drawings by name."""
    genres = tables["genres"].with_columns(
        genre=pl.Series([primary_genre(genre) for genre in tables["genres"]["genre"]], dtype=pl.String)
    )
    lengths = figures.lengths(tables["token_lengths"].rename({"source": "language"}))
    per_author = bin_names()
    return {
        "token_lengths": ("Tokens a document", lengths),
        "lengths": ("Lengths", stacked("raw_lengths", tables["lengths"], "length_bucket", LENGTH_BUCKETS)),
        "languages": ("Languages", stacked("raw_languages", tables["languages"], "language")),
        "genres": ("Genres", stacked("raw_genres", genres, "genre")),
        "documents_per_author": (
            "Documents an author has",
            stacked("raw_documents_per_author", tables["documents_per_author"], "documents", per_author, "authors"),
        ),
    }


def stacked(name: str, table: pl.DataFrame, column: str, order: Sequence[str] = (), counted: str = "documents") -> str:
    """A bar a source, divided by the values of a column; `counted` is what is shared out."""
    values = table.group_by(column).agg(pl.col(counted).sum()).sort(-pl.col(counted), column)[column].to_list()
    values = [value for value in order if value in values] if order else values
    colours = dict(zip(values, [*figures.PALETTE, *MORE_COLOURS, *figures.cycle(len(values))], strict=False))
    parts, y = figures.legend(colours, {value: language_name(value).replace("_", " ") for value in values}, 0)
    for (source,), part in table.group_by("source", maintain_order=True):
        counts: dict[str, int] = {}
        for value, number in part.select(column, counted).iter_rows():
            counts[value] = counts.get(value, 0) + number
        total = sum(counts.values())
        pieces = [
            (f"{value}: {counts[value]:,} ({counts[value] / total:.1%})", counts[value], colours[value])
            for value in values
            if value in counts
        ]
        parts += [figures.label(str(source), y), figures.stack(pieces, y, figures.LEFT, figures.WIDTH)]
        y += figures.ROW
    return figures.drawing(name, f"{counted} of each source", f"A bar a source, divided by {column}.", y, parts)


def words(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.4g}" if value < 1 else f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
