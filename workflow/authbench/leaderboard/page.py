"""How is a leaderboard read in a browser?"""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from markupsafe import Markup

from authbench.leaderboard import figures
from authbench.leaderboard.collect import Result
from authbench.leaderboard.formats import footnotes, named, told
from authbench.leaderboard.tables import ATTRIBUTION, DRAWN, SHORTCUT, VERIFICATION, Metric, Table, places
from authbench.report.template import environment

MOST_DOTS = 9
SURE = 0.05


def render(results: Sequence[Result], tables: Sequence[Table], scores: pl.DataFrame, pairs: pl.DataFrame) -> str:
    """The leaderboard as one page that loads nothing; `scores` as `tables.every_score`, `pairs` as `pairwise`."""
    first = results[0].scores
    drawn = pictures(scores)
    return (
        environment()
        .get_template("leaderboard.html.j2")
        .render(
            benchmark=first["benchmark"],
            settings=first["settings"],
            versions=first["versions"],
            overall=first["overall"],
            expectation=first["overall"].get("random_expectation", {}),
            overall_table=as_rows(tables[0]),
            slices=[as_rows(table) for table in tables[1:]],
            footnotes=footnotes(tables[0]),
            pictures=[(caption, Markup(picture)) for caption, picture in drawn.values()],
            models=[model_line(result) for result in results],
            doubtful=doubtful(pairs),
            pairs=pairs.height // max(1, pairs["metric"].n_unique()),
            best_shortcut=best_shortcut(tables[0]),
        )
    )


def pictures(scores: pl.DataFrame) -> dict[str, tuple[str, str]]:
    """Captions and drawings: bars over all models (the paper's figures 5 to 8); dots by language and length of those
    that lead."""
    leading = scores.filter((pl.col("facet") == "overall") & (pl.col("metric") == ATTRIBUTION.key))
    models = leading.sort("value", "model", descending=[True, False])["model"].head(MOST_DOTS).to_list()
    found = {}
    for metric in DRAWN:
        key = metric.key.partition("@")[0]
        if scores.filter(pl.col("metric") == metric.key).height:
            found[key] = (f"{metric.heading}, all models", figures.bars(key, scores, metric))
    for metric in (ATTRIBUTION, VERIFICATION):
        key = metric.key.partition("@")[0]
        for facet in ("by_language", "by_length"):
            if scores.filter((pl.col("facet") == facet) & (pl.col("metric") == metric.key)).height:
                caption = f"{metric.heading} by {facet.removeprefix('by_')}"
                found[f"{key}_{facet}"] = caption, figures.dots(f"{key}_{facet}", scores, facet, metric, models)
    return found


def as_rows(table: Table) -> dict[str, Any]:
    """A table for the page: its cells in words, each with its number for sorting and its place in the group."""
    place = [places(table, metric) for metric in table.columns]
    return {
        "name": table.name,
        "title": table.title,
        "columns": [{"heading": metric.heading, "more": metric.more_is_better} for metric in table.columns],
        "rows": [
            {
                "group": row["group"],
                "model": named(table, row["model"]),
                "cells": [cell(row[metric.key], metric, place[at][number]) for at, metric in enumerate(table.columns)],
            }
            for number, row in enumerate(table.rows.iter_rows(named=True))
        ],
    }


def cell(value: float | None, metric: Metric, place: int | None) -> dict[str, Any]:
    return {"told": told(value, metric), "value": "" if value is None else f"{value:.6f}", "place": place or 0}


def model_line(result: Result) -> dict[str, Any]:
    model: Mapping[str, Any] = result.scores["model"]
    return {"name": model["name"], "group": model["group"], "title": model["title"]}


def doubtful(pairs: pl.DataFrame) -> list[dict[str, Any]]:
    """The pairs whose difference in Success@5 may be chance (Holm's p of 0.05 or more), nearest first."""
    tested = pairs.filter((pl.col("metric") == ATTRIBUTION.key) & (pl.col("p_holm") >= SURE))
    return tested.sort(pl.col("difference").abs(), "model", "other").to_dicts()


def best_shortcut(table: Table) -> list[tuple[str, str, str]]:
    """For both tasks the heading, the best row that sees no style, and its score."""
    rows = table.rows.filter(pl.col("group") == SHORTCUT)
    found = []
    for metric in (ATTRIBUTION, VERIFICATION):
        known = rows.filter(pl.col(metric.key).is_not_null()).sort(metric.key, descending=metric.more_is_better)
        if known.height:
            found.append((metric.heading, known["model"][0], f"{known[metric.key][0]:.3f}"))
    return found
