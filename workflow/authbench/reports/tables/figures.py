"""Draw the figures of a paper: the release's composition and all models by each score."""

from collections.abc import Sequence

import polars as pl

from authbench.build.release import statistics
from authbench.config.languages import ALL, language_name, ordered
from authbench.core.funnel import STAGES
from authbench.core.presentation.charts import SMALL, WIDTH, Canvas, Chart
from authbench.core.presentation.numbers import decimals
from authbench.core.presentation.palette import BLUE, INK, PAPER, VERMILION, mark_of
from authbench.core.presentation.plots import ROW, Piece, Stack, Value, name_rows, stacked_bars, value_bars
from authbench.core.words import count, spaced
from authbench.reports.leaderboard.collect import Result
from authbench.reports.leaderboard.tables import Metric
from authbench.reports.report import figures
from authbench.reports.report.figures import look_of
from authbench.reports.tables.composition import quantiles
from authbench.reports.tables.documents import Contents
from authbench.reports.tables.models import GROUPS, Choice

_HEAD = 74  # units for the names of columns, which are vertical
_SLANT = 52  # units by which the last of these names exceeds its column
_DARK = 0.5  # share from which a cell's number is white


def composition_charts(contents: Contents, funnel: pl.DataFrame | None) -> list[Chart]:
    """Return the charts of a release's documents; `funnel` is its table of documents kept by stage."""
    documents = contents.documents
    splits = contents.splits["split"].to_list()
    queries = pl.DataFrame(schema={"split": pl.String, "query_id": pl.String})
    by_genre = quantiles(documents, "primary").filter(pl.col("language") != ALL)
    spelt = by_genre.with_columns(language=pl.col("language").str.replace_all("_", " "))
    drawn = [
        figures.languages(statistics.languages(documents, queries, splits)),
        figures.genres(statistics.genres(documents).filter(pl.col("language") != ALL)),
        genre_map(documents),
        figures.lengths(statistics.token_lengths(documents), "lengths_by_language"),
        figures.lengths(spelt, "lengths_by_genre", "Length in tokens per primary genre"),
        figures.documents_per_author(statistics.documents_per_author(documents)),
    ]
    return [*([stages(funnel)] if funnel is not None and funnel.height else []), *drawn]


def stages(funnel: pl.DataFrame) -> Chart:
    """Return the documents that each stage of the construction kept and dropped, over all sources."""
    rows = statistics.by_stage(funnel).group_by("stage").agg(pl.col("in", "gained", "dropped", "kept").sum())
    known = {row["stage"]: row for row in rows.iter_rows(named=True)}
    most = max([1, *(row["kept"] + row["dropped"] for row in known.values())])
    bars = [
        Stack(
            look_of(stage).title,
            [
                Piece(row["kept"], BLUE, f"kept: {count(row['kept'])}"),
                Piece(row["dropped"], VERMILION, f"dropped: {count(row['dropped'])}"),
            ],
            (row["kept"] + row["dropped"]) / most,
            count(row["kept"]),
        )
        for stage in [*STAGES, *sorted(set(known) - {*STAGES})]
        if (row := known.get(stage)) is not None
    ]
    about = "Documents that each stage kept and dropped, from the raw files to the release; right, how many it kept."
    return stacked_bars("pipeline", "How the benchmark was built", about, {"kept": BLUE, "dropped": VERMILION}, bars)


def genre_map(documents: pl.DataFrame) -> Chart:
    """Return a map of documents by language and primary genre: a row's shares as shades, the numbers in the cells."""
    languages, genres = ordered(documents["lang"]), sorted(set(documents["primary"]))
    counted = {(lang, genre): number for lang, genre, number in documents.group_by("lang", "primary").len().rows()}
    totals = {lang: sum(counted.get((lang, genre), 0) for genre in genres) for lang in languages}

    def draw(canvas: Canvas) -> None:
        if not languages:
            return
        axes = canvas.axes(_HEAD, _HEAD + ROW * len(languages), right=WIDTH - _SLANT)
        axes.set_xlim(-0.5, len(genres) - 0.5)
        axes.set_ylim(len(languages) - 0.5, -0.5)
        axes.spines[:].set_visible(False)
        name_rows(canvas, axes, [language_name(lang) for lang in languages], range(len(languages)))
        axes.xaxis.tick_top()
        names = [canvas.words(spaced(genre)) for genre in genres]
        axes.set_xticks(range(len(genres)), names, rotation=32, ha="left", fontsize=SMALL, color=INK)
        for down, lang in enumerate(languages):
            for across, genre in enumerate(genres):
                number = counted.get((lang, genre), 0)
                if not number:
                    continue
                share = number / totals[lang]
                [cell] = axes.bar(across, 1, 1, down - 0.5, color=BLUE, alpha=0.08 + 0.92 * share, edgecolor=PAPER)
                canvas.tip(cell, f"{language_name(lang)}, {spaced(genre)}: {count(number)} ({share:.1%})")
                colour = PAPER if share > _DARK else INK
                axes.text(across, down, _short(number), fontsize=SMALL, ha="center", va="center", color=colour)

    about = "Documents by language and primary genre; the darker, the larger the genre's share of the language."
    return Chart("genre_map", "Primary genres by language", about, _HEAD + ROW * max(len(languages), 1) + 8, draw)


def _short(number: int) -> str:
    return f"{number / 1000:.0f}k" if number >= 10_000 else count(number)


def score_charts(results: Sequence[Result], choice: Choice) -> list[Chart]:
    """Return bars of all models for each chosen metric that any of them has, best first (figures 5 to 8)."""
    return [
        _bars(results, metric, choice.digits)
        for metric in choice.overall
        if any(one.scores["overall"].get(metric.key) is not None for one in results)
    ]


def _bars(results: Sequence[Result], metric: Metric, digits: int) -> Chart:
    values = []
    for result in results:
        cell = result.scores["overall"]
        if cell.get(metric.key) is None:
            continue
        low, high = cell.get("intervals", {}).get(metric.key, (None, None))
        shown = decimals(cell[metric.key], digits)
        name, tip, group = result.name, f"{result.name}: {shown}", GROUPS.get(result.group, result.group)
        values.append(Value(name, cell[metric.key], mark_of(name), tip, low, high, group, note=shown))
    values.sort(key=lambda one: (-one.value if metric.more_is_better else one.value, one.label))
    better = "more is better" if metric.more_is_better else "less is better"
    about = f"All queries of the split, with 95 % intervals over authors where they are known; {better}."
    name = metric.key.replace("@", "_at_")
    return value_bars(name, f"{metric.heading} of all models", about, values)
