"""Render the leaderboard as a self-contained HTML page."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from authbench.leaderboard.collect import Result
from authbench.leaderboard.figures import Charts, marks_by_group, shown_in_words
from authbench.leaderboard.headline import basis, left_out
from authbench.leaderboard.tables import ATTRIBUTION
from authbench.leaderboard.verdict import SURE, verdict
from authbench.presentation.pages import environment, pictures
from authbench.presentation.tables import Table


def render(
    results: Sequence[Result],
    headline: Sequence[Table],
    tables: Sequence[Table],
    by_slice: Sequence[Table],
    beside: Sequence[Table],
    charts: Charts,
    pairs: pl.DataFrame,
    back: str = "",
    version: str = "",
) -> str:
    """Return the HTML page.

    Args:
        results: of all models.
        headline: the page's first tables (`headline.headline_tables`); none: the release lacks headline scores.
        tables: from `tables.all_tables`.
        by_slice: from `headline.slice_tables`.
        beside: smaller pools, diagnostics and lengths.
        pairs: from `pairwise.compare_pairs`.
        back: the link to the run's index, if any.
        version: of the benchmark, if known.
    """
    first = results[0].scores
    return (
        environment(marks=marks_by_group(results))
        .get_template("leaderboard.html.j2")
        .render(
            back=back,
            version=version,
            benchmark={"name": ""} | first["benchmark"],
            settings=first["settings"],
            versions=first["versions"],
            overall=first["overall"],
            expectation=first["overall"].get("random_expectation", {}),
            headline=headline,
            verdict=verdict(headline[0].data.to_dicts() if headline else []),
            left_out=left_out(results),
            basis=basis(results),
            headline_slices=by_slice,
            beside=beside,
            overall_table=tables[0],
            slices=tables[1:],
            pictures=pictures(charts.overall),
            headline_pictures=pictures(charts.headline),
            slice_pictures=pictures(charts.slices),
            pictured_models=shown_in_words(len(results)),
            models=[_model_line(result) for result in results],
            doubtful=_doubtful(pairs),
            pairs=pairs.filter(pl.col("metric") == ATTRIBUTION.key).height,
        )
    )


def _model_line(result: Result) -> dict[str, Any]:
    model = result.scores["model"]
    return {"name": model["name"], "group": model["group"], "title": model["title"]}


def _doubtful(pairs: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the pairs whose difference in Success@5 may be chance (Holm's p of 0.05 or more), nearest first."""
    tested = pairs.filter((pl.col("metric") == ATTRIBUTION.key) & (pl.col("p_holm") >= SURE))
    return tested.sort(pl.col("difference").abs(), "model", "other").to_dicts()
