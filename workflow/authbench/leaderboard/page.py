"""The leaderboard as one HTML page that loads nothing."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from authbench.leaderboard.collect import Result
from authbench.leaderboard.tables import ATTRIBUTION, VERIFICATION, best_shortcut, overall_scores
from authbench.presentation.charts import Chart
from authbench.presentation.numbers import decimals
from authbench.presentation.pages import environment, pictures
from authbench.presentation.tables import Table

SURE = 0.05


def render(results: Sequence[Result], tables: Sequence[Table], charts: Sequence[Chart], pairs: pl.DataFrame) -> str:
    """Return the HTML page; `tables` are those of `tables.all_tables`, `pairs` those of `pairwise.compare_pairs`."""
    first = results[0].scores
    return (
        environment()
        .get_template("leaderboard.html.j2")
        .render(
            benchmark=first["benchmark"],
            settings=first["settings"],
            versions=first["versions"],
            overall=first["overall"],
            expectation=first["overall"].get("random_expectation", {}),
            overall_table=tables[0],
            slices=tables[1:],
            pictures=pictures(charts),
            models=[_model_line(result) for result in results],
            doubtful=_doubtful(pairs),
            pairs=pairs.height // max(1, pairs["metric"].n_unique()),
            best_shortcut=_best_shortcuts(results),
        )
    )


def _model_line(result: Result) -> dict[str, Any]:
    model: Mapping[str, Any] = result.scores["model"]
    return {"name": model["name"], "group": model["group"], "title": model["title"]}


def _doubtful(pairs: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the pairs whose difference in Success@5 may be chance (Holm's p of 0.05 or more), nearest first."""
    tested = pairs.filter((pl.col("metric") == ATTRIBUTION.key) & (pl.col("p_holm") >= SURE))
    return tested.sort(pl.col("difference").abs(), "model", "other").to_dicts()


def _best_shortcuts(results: Sequence[Result]) -> list[tuple[str, str, str]]:
    """Return for both tasks the heading, the best row that reads no style, and its score."""
    rows = overall_scores(results)
    return [
        (metric.heading, row["model"], decimals(row[metric.key]))
        for metric in (ATTRIBUTION, VERIFICATION)
        if (row := best_shortcut(rows, metric))
    ]
