"""Draw the charts of a release for `figures/*.svg` and the report."""

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import polars as pl

from authbench.config.languages import ALL, language_name, ordered
from authbench.core.funnel import STAGES
from authbench.core.presentation import palette
from authbench.core.presentation.charts import SIZE, SMALL, WIDTH, Canvas, Chart
from authbench.core.presentation.plots import AXIS, ROW, Piece, Stack, name_rows, stacked_bars
from authbench.core.records import PRIMARY_GENRES, primary_genre
from authbench.core.words import count, spaced

GENRE_COLOURS = dict(zip(PRIMARY_GENRES, palette.SERIES, strict=False))
OTHER_COLOUR = palette.GREY
RELEASED = "released"


class Look(NamedTuple):
    """How a stage is shown: its title, and the colour and the words for the documents that it dropped."""

    title: str
    colour: str
    dropped: str


_LOOKS = {
    RELEASED: Look("Released", palette.BLUE, "released"),
    "ingest": Look("Read from the raw files", "#6b7280", "not usable at ingestion"),
    "normalize": Look("Normalise the text", palette.SAND, "empty or not drawn"),
    "dedup_documents": Look("Drop copied documents", palette.VIOLET, "copies of documents"),
    "chunk": Look("Cut long texts", palette.GREEN, "chunks beyond the limit"),
    "filter": Look("Filter", palette.VERMILION, "filtered"),
    "dedup_chunks": Look("Drop copied chunks", palette.PINK, "copies of chunks"),
    "sample": Look("Select authors and texts", "#c3cbd6", "not selected"),
    "split": Look("Split", palette.ORANGE, "bridges between splits"),
    "release": Look("Release", "#111827", "taken down"),
    "merge": Look("Merge", "#7c5c3e", "settled in a merge"),
}
QUANTILES = ("p10", "p25", "p50", "p75", "p90")
MOST_DOCUMENTS = 12  # documents of an author; the last column collects authors with more


def look_of(stage: str) -> Look:
    """Return how a stage is shown, or the released documents."""
    return _LOOKS.get(stage) or Look(spaced(stage), OTHER_COLOUR, spaced(stage))


def charts(tables: Mapping[str, pl.DataFrame], funnel: pl.DataFrame) -> list[Chart]:
    """Return every figure; `tables` as `statistics.tables` gives them, `funnel` as `funnel_table`."""
    return [
        languages(tables["languages"]),
        genres(tables["genres"]),
        lengths(tables["token_lengths"]),
        documents_per_author(tables["documents_per_author"]),
        _funnel_chart(funnel),
    ]


def languages(table: pl.DataFrame) -> Chart:
    """Return documents per language, a bar each, divided by split."""
    rows = table.filter((pl.col("language") != ALL) & (pl.col("split") != ALL))
    colours = palette.series(rows["split"].unique(maintain_order=True))
    totals = rows.group_by("language").agg(pl.col("documents").sum()).sort(-pl.col("documents"), "language")
    most = max([1, *totals["documents"]])
    bars = []
    for language, total in totals.iter_rows():
        counted = dict(rows.filter(pl.col("language") == language).select("split", "documents").iter_rows())
        pieces = [
            Piece(counted[split], colour, f"{split}: {count(counted[split])}") for split, colour in colours.items()
        ]
        bars.append(Stack(language_name(language), pieces, total / most, count(total)))
    return stacked_bars("languages", "Documents per language", "One bar a language, divided by split.", colours, bars)


def genres(table: pl.DataFrame) -> Chart:
    """Return the share of each primary genre within each language."""
    primary = pl.Series("genre", [primary_genre(genre) for genre in table["genre"]], dtype=pl.String)
    rows = table.with_columns(primary).group_by("language", "genre").agg(pl.col("documents").sum())
    present = [*PRIMARY_GENRES, *sorted(set(rows["genre"]) - set(PRIMARY_GENRES))]
    colours = {genre: GENRE_COLOURS.get(genre, OTHER_COLOUR) for genre in present if genre in set(rows["genre"])}
    bars = []
    for language in ordered(rows["language"]):
        counted = dict(rows.filter(pl.col("language") == language).select("genre", "documents").iter_rows())
        bars.append(Stack(language_name(language), shares(counted, colours)))
    legend = {spaced(genre): colour for genre, colour in colours.items()}
    about = "Shares of the documents of each language."
    return stacked_bars("genres", "Genres within each language", about, legend, bars)


def shares(
    counted: Mapping[str, int], colours: Mapping[str, str], names: Mapping[str, str] | None = None
) -> list[Piece]:
    """Return the pieces of a bar in the order of `colours`, each with its count and its share in words."""
    total = sum(counted.values())

    def in_words(key: str) -> str:
        return f"{(names or {}).get(key, spaced(key))}: {count(counted[key])} ({counted[key] / total:.1%})"

    return [Piece(counted[key], colour, in_words(key)) for key, colour in colours.items() if counted.get(key)]


def lengths(table: pl.DataFrame, name: str = "lengths", title: str = "Length in tokens per language") -> Chart:
    """Return token lengths per row: a box from p25 to p75 with the median, whiskers p10 to p90, log scale."""
    rows = {row["language"]: row for row in table.iter_rows(named=True)}
    order = ordered(table["language"])
    high = 1.3 * max([10.0, *table["p90"]])

    def draw(canvas: Canvas) -> None:
        if not order:
            return
        axes = canvas.axes(0, ROW * len(order), right=WIDTH - 14)
        axes.set_xscale("log")
        axes.set_xlim(1, high)
        axes.set_ylim(len(order) - 0.5, -0.5)
        axes.grid(visible=True, axis="x")
        axes.spines["bottom"].set_visible(False)
        ticks = [10**power for power in range(math.floor(math.log10(high)) + 1)]
        axes.set_xticks(ticks, [count(tick) for tick in ticks])
        axes.set_xticks([], minor=True)
        name_rows(canvas, axes, [language_name(language) for language in order], range(len(order)))
        for place, language in enumerate(order):
            p10, p25, p50, p75, p90 = (max(rows[language][point], 1.0) for point in QUANTILES)
            quantiles = ", ".join(f"{point} {rows[language][point]:,.0f}" for point in QUANTILES)
            axes.plot(
                [p10, p90],
                [place] * 2,
                color=palette.MUTED,
                linewidth=1.3,
                marker="|",
                markersize=8,
                markeredgewidth=1.3,
            )
            [box] = axes.barh(place, p75 - p25, 0.62, p25, color=palette.SKY)
            canvas.tip(box, f"{language_name(language)}: {quantiles} tokens")
            axes.plot([p50] * 2, [place - 0.31, place + 0.31], color=palette.INK, linewidth=2.2, solid_capstyle="butt")

    about = "Tokens a document, logarithmic: box p25 to p75 with the median, whiskers p10 to p90."
    return Chart(name, title, about, ROW * len(order) + AXIS, draw)


def documents_per_author(table: pl.DataFrame) -> Chart:
    """Return the number of authors by their number of documents."""
    counted: dict[int, int] = {}
    for documents, authors in table.filter(pl.col("language") == ALL).select("documents", "authors").iter_rows():
        counted[min(documents, MOST_DOCUMENTS)] = counted.get(min(documents, MOST_DOCUMENTS), 0) + authors
    columns = list(range(1, max([5, *counted]) + 1))
    tall = 170.0

    def draw(canvas: Canvas) -> None:
        half = min(WIDTH, 72 * len(columns)) / 2
        axes = canvas.axes(24, 24 + tall, left=WIDTH / 2 - half, right=WIDTH / 2 + half)
        axes.spines["left"].set_visible(False)
        axes.yaxis.set_visible(False)
        axes.set_xlim(0.5, len(columns) + 0.5)
        axes.set_ylim(0, max([1, *counted.values()]))
        names = [f"{documents}{'+' if documents == MOST_DOCUMENTS else ''}" for documents in columns]
        axes.set_xticks(columns, names, fontsize=SIZE, color=palette.INK)
        axes.set_xlabel("documents an author has", labelpad=6)
        for documents in columns:
            authors = counted.get(documents, 0)
            [bar] = axes.bar(documents, authors, 0.7, color=palette.BLUE)
            canvas.tip(bar, f"{count(authors)} authors have {documents}")
            axes.annotate(count(authors), (documents, authors), (0, 5), textcoords="offset points", ha="center",
                          fontsize=SMALL, color=palette.MUTED)  # fmt: skip

    about = "Column heights are numbers of authors."
    return Chart("documents_per_author", "Documents per author", about, 24 + tall + 48, draw)


def _funnel_chart(funnel: pl.DataFrame) -> Chart:
    """Return the shares of each source's documents that were released, and dropped at each stage."""
    fates = fates_of(funnel)
    looks = looks_of(fates)
    colours, words = ({stage: getattr(look, of) for stage, look in looks.items()} for of in ("colour", "dropped"))
    bars = [
        Stack(source, shares(counts, colours, words), note=count(counts.get(RELEASED, 0)))
        for source, counts in fates.items()
    ]
    legend = {look.dropped: look.colour for look in looks.values()}
    about = "Of each source's documents and chunks the shares released and dropped, by stage; right, how many remain."
    return stacked_bars("funnel", "Where the documents went", about, legend, bars)


def fates_of(funnel: pl.DataFrame) -> dict[str, dict[str, int]]:
    return {source: fate(funnel.filter(pl.col("source") == source)) for source in ordered(funnel["source"])}


def looks_of(fates: Mapping[str, Mapping[str, int]]) -> dict[str, Look]:
    """Return how the stages are shown that any source has documents of, in the order of a bar's pieces."""
    met = {stage for counts in fates.values() for stage, number in counts.items() if number}
    return {stage: look_of(stage) for stage in fate_order(met)}


def fate(funnel: pl.DataFrame) -> dict[str, int]:
    """Return how many of a source's documents (and added chunks) were released, and dropped at each stage.

    Released are the documents kept by the last stage that the source reached.
    """
    counts = dict.fromkeys([RELEASED], 0)
    for stage, reason, documents in funnel.select("stage", "reason", "documents").iter_rows():
        if reason == "kept":
            counts[RELEASED] = documents
        elif reason not in ("in", "gained"):
            counts[stage] = counts.get(stage, 0) + documents
    return counts


def fate_order(stages: Iterable[str]) -> list[str]:
    """Return stages with `released` first, then from the last stage to the first, then any others."""
    known: list[object] = [RELEASED, *reversed(STAGES)]
    return sorted(stages, key=lambda stage: (known.index(stage) if stage in known else len(known), stage))
