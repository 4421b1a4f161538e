"""Draw leaderboard charts: all models with intervals (the paper's figures 5 to 8), and small multiples of slices."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from authbench.evaluation.released import HEADLINES
from authbench.leaderboard.tables import ATTRIBUTION, DRAWN, VERIFICATION, Metric, slice_order
from authbench.leaderboard.verdict import HEADINGS
from authbench.presentation.charts import Chart
from authbench.presentation.multiples import small_multiples
from authbench.presentation.numbers import decimals
from authbench.presentation.palette import mark_of
from authbench.presentation.plots import Value, value_bars
from authbench.words import language_name, spaced

MOST_ROWS = 14
FACETS = ("by_language", "by_length")
ALL_FACETS = ("by_language", "by_source", "by_primary_genre", "by_length")
OPENING = tuple(Metric(score, HEADINGS[score]) for score in HEADLINES)


@dataclass(frozen=True)
class Charts:
    """Bars over all queries, and small multiples of headline scores and of full-pool scores."""

    overall: Sequence[Chart]
    headline: Sequence[Chart]
    slices: Sequence[Chart]

    def all(self) -> list[Chart]:
        return [*self.overall, *self.headline, *self.slices]


def charts(scores: pl.DataFrame, gains: pl.DataFrame) -> Charts:
    """Return all charts; small multiples show the MOST_ROWS leading models.

    Args:
        scores: from `tables.every_score`.
        gains: from a comparison; a slice's headline score is faint unless the interval of its gain excludes 0.
    """
    present = set(scores.select("facet", "metric").unique().rows())

    def multiples(metrics: Sequence[Metric], facets: Sequence[str]) -> list[Chart]:
        drawn = [(metric, facet) for metric in metrics for facet in facets if (facet, metric.key) in present]
        return [_by_slice(scores, facet, metric, gains) for metric, facet in drawn]

    return Charts(
        [_bars(scores, metric) for metric in (*OPENING, *DRAWN) if ("overall", metric.key) in present],
        multiples(OPENING, ALL_FACETS),
        multiples((ATTRIBUTION, VERIFICATION), FACETS),
    )


def shown_in_words(models: int) -> str:
    """Return how many models the small multiples show, if not all."""
    return f"Of {models} models the {MOST_ROWS} that lead." if models > MOST_ROWS else ""


def _leading(scores: pl.DataFrame, metric: Metric) -> list[str]:
    """Return the best models in a metric over all queries, best first."""
    rows = scores.filter((pl.col("facet") == "overall") & (pl.col("metric") == metric.key))
    ranked = rows.sort("value", "model", descending=[metric.more_is_better, False])["model"].to_list()
    return ranked[:MOST_ROWS]


def _bars(scores: pl.DataFrame, metric: Metric) -> Chart:
    """Return a bar with interval per model, best first."""
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


def _by_slice(scores: pl.DataFrame, facet: str, metric: Metric, gains: pl.DataFrame) -> Chart:
    """Return a small chart per slice of a facet, with a dot and its interval per model."""
    judged = set(gains["model"])
    sure = set(gains.filter(pl.col("low") > 0).select("model", "facet", "slice", "score").rows())
    models = _leading(scores, metric)
    rows = scores.filter((pl.col("facet") == facet) & (pl.col("metric") == metric.key) & pl.col("model").is_in(models))
    panels: dict[str, list[Value]] = {}
    for part in sorted(rows["slice"].unique(), key=slice_order):
        here = rows.filter(pl.col("slice") == part)
        name = spaced(language_name(part))
        panels[f"{name} ({max(here['authors'])})"] = [
            Value(
                label=row["model"],
                value=row["value"],
                mark=mark_of(row["model"]),
                tip=f"{row['model']}, {name}: {_interval_in_words(row)}, {row['queries']} queries",
                low=row["low"],
                high=row["high"],
                faint=metric in OPENING
                and row["model"] in judged
                and (row["model"], facet, part, metric.key) not in sure,
            )
            for row in here.iter_rows(named=True)
        ]
    title = f"{metric.heading} by {spaced(facet.removeprefix('by_'))}"
    about = "A chart per slice, in brackets its authors; dots with 95 % intervals over authors."
    if metric in OPENING:
        about += " Pale: no gain over the best shortcut whose interval excludes 0."
    file = metric.key.replace("@", "_at_") if metric in OPENING else metric.key.partition("@")[0]
    return small_multiples(f"{file}_{facet}", title, about, models, panels)


def _interval_in_words(row: dict[str, float | None]) -> str:
    """Return a score with its interval, if available."""
    low, high = row["low"], row["high"]
    return decimals(row["value"]) + ("" if low is None or high is None else f" ({low:.3f} to {high:.3f})")
