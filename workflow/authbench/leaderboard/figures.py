"""Charts of a leaderboard: all models with intervals (the paper's figures 5 to 8), and the leading ones by slice."""

from collections.abc import Sequence

import polars as pl

from authbench.evaluation.released import HEADLINES
from authbench.leaderboard.headline import HEADINGS
from authbench.leaderboard.tables import ATTRIBUTION, DRAWN, VERIFICATION, Metric, slice_order
from authbench.presentation.charts import Chart
from authbench.presentation.numbers import decimals
from authbench.presentation.palette import mark_of
from authbench.presentation.plots import Value, dots, value_bars
from authbench.words import language_name, spaced

MOST_DOTS = 9
FACETS = ("by_language", "by_length")
OPENING = tuple(Metric(score, HEADINGS[score]) for score in HEADLINES)


def charts(scores: pl.DataFrame) -> list[Chart]:
    """Return bars of every metric, and dots by language and length of the models that lead (`tables.every_score`)."""
    leading = scores.filter((pl.col("facet") == "overall") & (pl.col("metric") == ATTRIBUTION.key))
    models = leading.sort("value", "model", descending=[True, False])["model"].head(MOST_DOTS).to_list()
    present = set(scores.select("facet", "metric").unique().rows())
    found = [_bars(scores, metric) for metric in (*OPENING, *DRAWN) if ("overall", metric.key) in present]
    return found + [
        _by_slice(scores, facet, metric, models)
        for metric in (OPENING[0], ATTRIBUTION, VERIFICATION)
        for facet in FACETS
        if (facet, metric.key) in present
    ]


def _bars(scores: pl.DataFrame, metric: Metric) -> Chart:
    """Return a bar per model with its interval, best first."""
    rows = scores.filter((pl.col("facet") == "overall") & (pl.col("metric") == metric.key)).sort(
        "value", "model", descending=[metric.more_is_better, False]
    )
    values = [
        Value(
            label=row["model"],
            value=row["value"],
            mark=mark_of(row["model"]),
            tip=f"{row['model']}: {_interval_in_words(row)}",
            low=row["low"],
            high=row["high"],
            group=row["group"],
            note=decimals(row["value"]),
        )
        for row in rows.iter_rows(named=True)
    ]
    better = "more is better" if metric.more_is_better else "less is better"
    about = f"All queries, with 95 % intervals over authors; {better}."
    return value_bars(metric.key.replace("@5", ""), f"{metric.heading}, all models", about, values)


def _by_slice(scores: pl.DataFrame, facet: str, metric: Metric, models: Sequence[str]) -> Chart:
    """Return a row per slice of a facet, with a dot and its interval for each model."""
    rows = scores.filter((pl.col("facet") == facet) & (pl.col("metric") == metric.key) & pl.col("model").is_in(models))
    groups: dict[str, list[Value]] = {}
    for part in sorted(rows["slice"].unique(), key=slice_order):
        here = {row["model"]: row for row in rows.filter(pl.col("slice") == part).iter_rows(named=True)}
        name = spaced(language_name(part))
        groups[name] = [
            Value(
                label=model,
                value=here[model]["value"],
                mark=mark_of(model),
                tip=f"{model}, {name}: {_interval_in_words(here[model])}, {here[model]['queries']} queries",
                low=here[model]["low"],
                high=here[model]["high"],
            )
            for model in models
            if model in here
        ]
    shown = set(rows["model"])
    title = f"{metric.heading} by {spaced(facet.removeprefix('by_'))}"
    file = f"{metric.key.partition('@')[0]}_{facet}"
    legend = {model: mark_of(model) for model in models if model in shown}
    return dots(file, title, "A dot per model, with 95 % intervals over authors.", legend, groups)


def _interval_in_words(row: dict[str, float | None]) -> str:
    """Return a score with its interval, where there is one."""
    low, high = row["low"], row["high"]
    return decimals(row["value"]) + ("" if low is None or high is None else f" ({low:.3f} to {high:.3f})")
