"""Render an evaluation of verifiers as a self-contained HTML page."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Literal

import polars as pl

from authbench.core.json_values import JsonMapping
from authbench.core.presentation.charts import Chart
from authbench.core.presentation.numbers import decimals, limits, p_value, with_spread
from authbench.core.presentation.pages import environment
from authbench.core.presentation.palette import Mark
from authbench.core.presentation.tables import BEST, Cell, Column, Row, Table, controls_last
from authbench.models.entries import SANITY
from authbench.suites.pan.topics import Influence

DIGITS = 4


def render(
    facts: JsonMapping,
    tables: Sequence[Table],
    charts: Sequence[Chart],
    silence: JsonMapping,
    topics: Influence | None,
    baselines: Sequence[str],
    back: str = "",
    marks: Mapping[str, Mark] | None = None,
) -> str:
    """Return the page.

    Args:
        silence: result of `compare.silence_pays`.
        topics: result of `topics.influence`.
    """
    page = environment(marks=marks).get_template("pan.html.j2")
    return page.render(
        back=back,
        facts=facts,
        tables=tables,
        pictures=charts,
        silence={"tested": silence["w"] is not None}
        | {name: _shown_statistic(name, value) for name, value in silence.items()},
        topics=_topic_rows(topics) if topics else [],
        baselines=baselines,
    )


def _shown_statistic(name: str, value: float | None) -> int | str:
    if isinstance(value, int):
        return value
    return p_value(value) if name in ("p", "rho_p") and value is not None else decimals(value, DIGITS)


def measure_table(
    name: str,
    title: str,
    data: pl.DataFrame,
    *notes: str,
    bounds: Mapping[tuple[str, str], tuple[float, float]] = {},
    baselines: Collection[str] = (),
    least: bool = False,
) -> Table:
    """Return a table of measures to four decimals, with the best per column marked; baselines are grey, and last.

    Args:
        bounds: the interval of a cell, by its row's first cell and its column's heading.
        baselines: first cells of rows that are not marked.
        least: whether the lowest is the best.
    """
    columns = [
        Column(heading, words=not kind.is_numeric(), more_is_better=not least if kind.is_float() else None)
        for heading, kind in data.schema.items()
    ]
    ranked = data.filter(~pl.nth(0).cast(pl.String).is_in(list(baselines)))
    best = (ranked.min() if least else ranked.max()).row(0)
    rows = [
        Row(
            [
                _cell(value, marked, limits(*bounds.get((row[0], heading), (None, None))), row[0] in baselines)
                for heading, value, marked in zip(data.columns, row, best, strict=True)
            ],
            SANITY if row[0] in baselines else "",
        )
        for row in data.iter_rows()
    ]
    return Table(name, title, columns, controls_last(rows), data, notes)


def _cell(value: object, best: object, interval: str, grey: bool) -> Cell:
    """Return a cell to four decimals, marked if it is a finite number, the best of its column and not grey."""
    if isinstance(value, float) and math.isinf(value):
        return Cell("∞", value, grey=grey)
    place = BEST if value is not None and value == best and not grey else 0
    if isinstance(value, float) or value is None:
        return Cell(decimals(value, DIGITS), value, place, grey=grey, interval=interval)
    return Cell(str(value), value if isinstance(value, int) else None, grey=grey)


_SIDES: tuple[Literal["all", "same_author", "different_authors"], ...] = ("all", "same_author", "different_authors")


def _topic_rows(found: Influence) -> list[tuple[str, str]]:
    learnt = "other texts" if found["learnt_from"] == "train" else "these texts"
    rows = [("Topics", f"{found['topics']}, learnt from {learnt}")]
    for side in _SIDES:
        mean, sd = found[side]["mean"], found[side]["sd"]
        words = "no pair" if mean is None or sd is None else with_spread(mean, sd, DIGITS, DIGITS)
        rows.append((f"Similarity, {side.replace('_', ' ')}", words))
    if test := found["mann_whitney"]:
        rows.append(("Mann-Whitney U, one-sided", f"{test['u']:,.0f}, p {p_value(test['p'])}"))
    for which, part in found["regression"].items():
        words = f"beta {decimals(part['beta'], DIGITS)}, R² {decimals(part['r2'], DIGITS)}"
        words = f"withheld: {part['withheld']}" if part["withheld"] else words
        rows.append((f"Score on similarity, {which}", words))
    return rows
