"""The likelihood ratios of verifiers, and what they cost."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from authbench.metrics.forensic import best_ratios, calibrated, cllr, cllr_interval, log_ratios
from authbench.pan.compare import Systems
from authbench.presentation.numbers import decimals, limits
from authbench.presentation.tables import Cell, Column, Row, Table

DIGITS = 4
_HEADINGS = {"cllr": "Cllr", "cllr_min": "Cllr min", "cllr_calibrated": "Cllr, calibrated"}
_NOTE = (
    "Bits that a system's likelihood ratios lose at even prior odds: 0 is best, 1 what a ratio of 1 costs. Scores are "
    "read as probabilities at even odds; empty where one is none, infinite where it rules out the truth. Min: the best "
    "monotone reading of the scores. Calibrated: by a logistic curve fitted on the other half of the problems. "
    "Intervals of 95 %, problems taken as drawn one by one."
)


def ratios_of(systems: Systems, names: Sequence[str]) -> pl.DataFrame:
    """Return `id`, `same` and a column per system: the decimal log likelihood ratio, calibrated on the other half."""
    ids = systems.ids.to_list()
    found = {name: calibrated(systems.truth, systems.scores[name], ids) / np.log(10) for name in names}
    table = pl.DataFrame({"id": systems.ids, "same": systems.truth} | found)
    return table.with_columns(pl.col(*found).fill_nan(None)) if found else table


def costs(systems: Systems, names: Sequence[str]) -> pl.DataFrame:
    """Return `system`, `cllr`, `cllr_min`, `cllr_calibrated` (null where undefined), and `_low`, `_high` of each."""
    ids, truth = systems.ids.to_list(), systems.truth
    rows = []
    for name in names:
        scores = systems.scores[name]
        ratios = {
            "cllr": log_ratios(scores),
            "cllr_min": best_ratios(truth, scores),
            "cllr_calibrated": calibrated(truth, scores, ids),
        }
        row: dict[str, object] = {"system": name}
        for heading, own in ratios.items():
            low, high = cllr_interval(truth, own) or (None, None)
            row |= {heading: cllr(truth, own), f"{heading}_low": low, f"{heading}_high": high}
        rows.append(row)
    ends = [f"{heading}_{end}" for heading in _HEADINGS for end in ("low", "high")]
    schema = {"system": pl.String} | dict.fromkeys([*_HEADINGS, *ends], pl.Float64)
    return pl.DataFrame(rows, schema=schema).with_columns(pl.col(*_HEADINGS).fill_nan(None))


def forensic_table(systems: Systems, names: Sequence[str], probabilities: bool = True) -> Table:
    """Return the costs for readers, of each column the least marked; without Cllr where scores are no probabilities."""
    data = costs(systems, names)
    headings = {name: words for name, words in _HEADINGS.items() if probabilities or name != "cllr"}
    data = data if probabilities else data.drop("cllr", "cllr_low", "cllr_high")
    least = {name: data[name].min() for name in headings}
    rows = [
        Row(
            [
                Cell(row["system"]),
                *(
                    _cell(row[name], row[name] == least[name], limits(row.get(f"{name}_low"), row.get(f"{name}_high")))
                    for name in headings
                ),
            ]
        )
        for row in data.iter_rows(named=True)
    ]
    columns = [Column("system", words=True), *(Column(one, more_is_better=False) for one in headings.values())]
    return Table("forensic", "Cost of likelihood ratios", columns, rows, data.rename(headings), [_NOTE])


def _cell(value: float | None, best: bool, interval: str) -> Cell:
    if value is not None and np.isinf(value):
        return Cell("∞", value)
    return Cell(decimals(value, DIGITS), value, int(best and value is not None), interval=interval)
