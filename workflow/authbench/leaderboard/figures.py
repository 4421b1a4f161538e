"""What do the scores look like?

Bars over all models with their 95 % intervals (the paper's figures 5 to 8), and for each slice of a facet where the
models stand. Drawn like the figures of a release: the same numbers give the same bytes.
"""

from collections.abc import Sequence

import polars as pl

from authbench.leaderboard.tables import Metric, slice_order
from authbench.report.figures import (
    LEFT,
    ROW,
    WIDTH,
    cycle,
    drawing,
    element,
    escape_text,
    label,
    legend,
    text,
)
from authbench.words import language_name

TICKS = 6
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
DOT = 4.5


def bars(name: str, scores: pl.DataFrame, metric: Metric) -> str:
    """A bar per model with its interval, best first; `scores` as `tables.every_score`, of any facet and slice."""
    rows = scores.filter((pl.col("facet") == "overall") & (pl.col("metric") == metric.key)).sort(
        "value", "model", descending=[metric.more_is_better, False]
    )
    groups = rows["group"].unique().sort().to_list()
    colours = dict(zip(groups, cycle(len(groups)), strict=True))
    parts, y = legend(colours, {}, 0)
    most = highest(rows)
    for row in rows.iter_rows(named=True):
        end = place(row["value"], most)
        words = f"{row['model']}: {row['value']:.3f}"
        parts.append(label(row["model"], y))
        parts.append(
            element(
                "rect",
                element("title", escape_text(words)),
                x=LEFT,
                y=y,
                width=max(end - LEFT, 0.8),
                height=16,
                fill=colours[row["group"]],
            )
        )
        parts.append(whisker(row["low"], row["high"], y + 8, most))
        parts.append(text(WIDTH, y + 13, f"{row['value']:.3f}", "m n", "end"))
        y += ROW
    better = "more is better" if metric.more_is_better else "less is better"
    return drawing(name, metric.heading, f"All queries, with 95 % intervals over authors; {better}.", y, parts)


def dots(name: str, scores: pl.DataFrame, facet: str, metric: Metric, models: Sequence[str]) -> str:
    """A line per slice of a facet, a dot with its interval per model."""
    rows = scores.filter((pl.col("facet") == facet) & (pl.col("metric") == metric.key) & pl.col("model").is_in(models))
    colours = dict(zip(models, cycle(len(models)), strict=True))
    parts, y = legend(colours, {}, 0)
    most = highest(rows)
    step = next((step for step in STEPS if most / step <= TICKS), most)
    for tick in range(int(most / step) + 1):
        parts.append(text(place(step * tick, most), y + 8, f"{step * tick:.2f}", "m n", "middle"))
    y += 18
    slices = rows["slice"].unique().to_list()
    for part in sorted(slices, key=slice_order):
        here = {row["model"]: row for row in rows.filter(pl.col("slice") == part).iter_rows(named=True)}
        height = max(ROW, 7 * len(here) + 10)
        parts.append(label(language_name(part), y + height / 2 - 10))
        parts.append(element("line", x1=LEFT, x2=WIDTH, y1=y + height, y2=y + height, class_="r"))
        for number, model in enumerate(model for model in models if model in here):
            row, at = here[model], y + 8 + 7 * number
            words = f"{model}, {language_name(part)}: {row['value']:.3f} ({row['queries']} queries)"
            parts.append(whisker(row["low"], row["high"], at, most, colours[model]))
            parts.append(
                element(
                    "circle",
                    element("title", escape_text(words)),
                    cx=place(row["value"], most),
                    cy=at,
                    r=DOT,
                    fill=colours[model],
                )
            )
        y += height
    what = facet.removeprefix("by_").replace("_", " ")
    return drawing(name, f"{metric.heading} by {what}", "A dot per model, with 95 % intervals over authors.", y, parts)


def highest(rows: pl.DataFrame) -> float:
    """The end of the scale: the highest value or upper bound."""
    values: list[float] = [1e-9, *rows["high"].drop_nulls(), *rows["value"]]
    return max(values)


def place(value: float, most: float) -> float:
    return LEFT + (WIDTH - LEFT - 52) * value / most


def whisker(low: float | None, high: float | None, y: float, most: float, colour: str = "") -> str:
    """A thin line over an interval; nothing where there is none."""
    if low is None or high is None:
        return ""
    style = {"stroke": colour, "stroke_opacity": "0.5"} if colour else {"style": "stroke:var(--i)"}
    return element("line", x1=place(low, most), x2=place(high, most), y1=y, y2=y, stroke_width=1.5, **style)
