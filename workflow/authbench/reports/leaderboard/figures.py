"""Draw leaderboard charts: all models with intervals (the paper's figures 5 to 8), and small multiples of slices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle

import polars as pl

from authbench.config.languages import language_name
from authbench.core.json_values import JsonMapping, JsonObject
from authbench.core.presentation.charts import Chart
from authbench.core.presentation.multiples import small_multiples
from authbench.core.presentation.numbers import decimals
from authbench.core.presentation.palette import GREY, MARKERS, SERIES, Mark
from authbench.core.presentation.plots import Value, ranking
from authbench.core.words import spaced
from authbench.models.entries import SANITY
from authbench.reports.leaderboard import tables
from authbench.reports.leaderboard.collect import Result
from authbench.reports.leaderboard.pairwise import not_told_apart
from authbench.scoring.evaluation.gain import Comparison
from authbench.scoring.evaluation.scores import LEAST_AUTHORS

MOST_ROWS = 14
FACETS = ("by_language", "by_length")
ALL_FACETS = ("by_language", "by_source", "by_primary_genre", "by_length")


@dataclass(frozen=True)
class Charts:
    """Rankings over all queries, and small multiples of headline scores and of full-pool scores."""

    overall: Sequence[Chart]
    headline: Sequence[Chart]
    slices: Sequence[Chart]

    def all(self) -> list[Chart]:
        return [*self.overall, *self.headline, *self.slices]


def charts(results: Sequence[Result], scores: pl.DataFrame, comparison: Comparison, pairs: pl.DataFrame) -> Charts:
    """Return all charts; small multiples show the MOST_ROWS leading models.

    Args:
        scores: from `tables.every_score`.
        comparison: a slice's headline score is faint unless the interval of its gain excludes 0.
        pairs: from `pairwise.compare_pairs`.
    """
    present = set(scores.filter(facet="overall")["metric"])
    marks = marks_by_group(results)
    shortcuts = {result.name for result in results if result.shortcut}

    def multiples(metrics: Sequence[tables.Metric], facets: Sequence[str]) -> list[Chart]:
        drawn = [(metric, facet) for metric in metrics for facet in facets if _in_slices(scores, facet, metric).height]
        return [_by_slice(scores, facet, metric, comparison.gains, marks) for metric, facet in drawn]

    def ranked(metric: tables.Metric) -> Chart:
        rows = _overall(scores, metric)
        chosen = {comparison.chosen[metric.key][0]} if metric.key in comparison.chosen else shortcuts
        return _ranking(metric, rows, marks, next((row for row in rows if row["model"] in chosen), None), pairs)

    return Charts(
        [ranked(metric) for metric in (*tables.OPENING, *tables.DRAWN) if metric.key in present],
        multiples(tables.OPENING, ALL_FACETS),
        multiples((tables.ATTRIBUTION, tables.VERIFICATION), FACETS),
    )


def marks_by_group(results: Sequence[Result]) -> dict[str, Mark]:
    """Return each model's mark, a colour and a shape for its group; controls are grey."""
    models = sorted({result.group for result in results} - {SANITY})
    looks = dict(zip(models, map(Mark, cycle(SERIES), cycle(MARKERS)), strict=False))
    return {result.name: looks.get(result.group, Mark(GREY)) for result in results}


def shown_in_words(models: int) -> str:
    """Return how many models the small multiples show, if not all."""
    return f"Of {models} models the {MOST_ROWS} that lead." if models > MOST_ROWS else ""


def _overall(scores: pl.DataFrame, metric: tables.Metric) -> list[JsonObject]:
    """Return a metric over all queries, a row for each model, best first."""
    rows = scores.filter(facet="overall", metric=metric.key)
    return rows.sort("value", "model", descending=[metric.more_is_better, False]).to_dicts()


def _ranking(
    metric: tables.Metric,
    rows: Sequence[JsonObject],
    marks: Mapping[str, Mark],
    shortcut: JsonObject | None,
    pairs: pl.DataFrame,
) -> Chart:
    """Return models best first, joined to the leader where a test does not tell them apart, and controls."""
    values = [
        replace(
            _dot(row, marks, f"{row['model']}: {_interval_in_words(row)}"),
            group="controls" if row["group"] == SANITY else row["group"],
            note=decimals(row["value"]),
        )
        for row in rows
    ]
    models, controls = (
        [value for value, row in zip(values, rows, strict=True) if (row["group"] == SANITY) == apart]
        for apart in (False, True)
    )
    joined = not_told_apart(pairs, metric.key, models[0].label) if models else set[str]()
    line = Value("", shortcut["value"], Mark(GREY), f"shortcut to beat: {shortcut['model']}") if shortcut else None
    about = f"Dots with 95 % intervals over authors; {'more' if metric.more_is_better else 'less'} is better."
    about += " Dashed: the row without style that gains are counted from." if line else ""
    if joined & {value.label for value in models}:
        about += " A bracket joins what is not told apart from the leader."
    chart = ranking(metric.key.replace("@5", ""), metric.heading, about, models, controls, line, joined)
    return replace(chart, data=pl.DataFrame(rows))


def _in_slices(scores: pl.DataFrame, facet: str, metric: tables.Metric) -> pl.DataFrame:
    """Return a metric in the slices of a facet that are large enough to be drawn."""
    return scores.filter(pl.col("authors") >= LEAST_AUTHORS, facet=facet, metric=metric.key)


def _by_slice(
    scores: pl.DataFrame, facet: str, metric: tables.Metric, gains: pl.DataFrame, marks: Mapping[str, Mark]
) -> Chart:
    """Return a small chart per slice of a facet, with a dot and its interval per model."""
    faint = tables.without_gain(gains)
    models = [row["model"] for row in _overall(scores, metric)[:MOST_ROWS]]
    rows = _in_slices(scores, facet, metric).filter(pl.col("model").is_in(models))
    panels: dict[str, list[Value]] = {}
    for part in sorted(rows["slice"].unique(), key=tables.slice_order):
        here = rows.filter(pl.col("slice") == part)
        name = spaced(language_name(part))
        panels[f"{name} ({max(here['authors'])})"] = [
            replace(
                _dot(row, marks, f"{row['model']}, {name}: {_interval_in_words(row)}, {row['queries']} queries"),
                faint=faint(row),
            )
            for row in here.iter_rows(named=True)
        ]
    title = f"{metric.heading} by {spaced(facet.removeprefix('by_'))}"
    about = "A chart per slice, in brackets its authors; dots with 95 % intervals over authors."
    if metric in tables.OPENING:
        about += " Pale: no gain over the best shortcut whose interval excludes 0."
    file = metric.key.replace("@", "_at_") if metric in tables.OPENING else metric.key.partition("@")[0]
    return replace(small_multiples(f"{file}_{facet}", title, about, models, panels), data=rows)


def _dot(row: JsonMapping, marks: Mapping[str, Mark], tip: str) -> Value:
    return Value(row["model"], row["value"], marks[row["model"]], tip, row["low"], row["high"])


def _interval_in_words(row: dict[str, float | None]) -> str:
    low, high = row["low"], row["high"]
    return decimals(row["value"]) + ("" if low is None or high is None else f" ({low:.3f} to {high:.3f})")
