"""Format tables as in the RAVEN paper: means with spread, best in bold, significantly lower values starred."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from authbench.arrays import F64
from authbench.presentation.numbers import decimals
from authbench.presentation.tables import Column, Table, plain_rows, without_empty_columns
from authbench.raven.results import MEASURES
from authbench.raven.stability import p_of_agreements

HEADINGS = {"auc": "AUC", "c@1": "c@1", "f0.5u": "F0.5u", "f1": "F1", "overall": "Overall"}
SURE = 0.05


def correlation_table(
    name: str,
    title: str,
    note: str,
    heading: str,
    found: Mapping[str, Mapping[str, tuple[float, float]]],
    against: str | None = None,
    both_ways: bool = False,
) -> Table:
    """Return a row per key of `found` with the agreement of folds by each measure, and their mean.

    Args:
        found: agreements and their variances (`stability.agreement_of_folds`).
        against: the reference row; significantly lower values in other rows are marked.
        both_ways: also mark the reference row if it is significantly lower than the other.
    """
    rows, shown = [], []
    other = next((key for key in found if key != against), None)
    for key, values in found.items():
        rival = against if key != against else other if both_ways else None
        row: dict[str, Any] = {heading.lower().replace(" ", "_"): key}
        cells = [key]
        for measure in MEASURES:
            mean = values[measure][0]
            row[measure] = mean
            mark = ""
            if rival is not None:
                row[f"{measure}_p"] = p_of_agreements(values[measure], found[rival][measure])
                lower = mean < found[rival][measure][0]
                mark = "*" if row[f"{measure}_p"] < SURE and lower else ""
            cells.append(decimals(mean) + mark)
        row["average"] = mean_and_spread(np.array([row[measure] for measure in MEASURES]))[0]
        rows.append(row)
        shown.append([*cells, decimals(row["average"])])
    best = highest([[row[measure] for measure in (*MEASURES, "average")] for row in rows], 0, 1)
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return paper_table(name, title, note, frame, [heading, *HEADINGS.values(), "Avg."], shown, frozenset(best))


def paper_table(
    name: str,
    title: str,
    note: str,
    data: pl.DataFrame,
    headings: Sequence[str],
    shown: Sequence[Sequence[str]],
    best: frozenset[tuple[int, int]] = frozenset(),
    names: int = 1,
) -> Table:
    """Return a table whose first `names` columns are text; cells (row, column) in `best` are marked as best."""
    columns = [Column(heading, words=at < names) for at, heading in enumerate(headings)]
    table = Table(name, title, columns, plain_rows(shown, best), data, [note])
    return without_empty_columns(table, {"": "there is nothing to compare: too few verifiers, folds or seeds"})


def mean_and_spread(values: F64) -> tuple[float, float]:
    """Return mean and sample standard deviation, ignoring NaN; NaN if there are too few values."""
    known = values[~np.isnan(values)]
    return (
        float(known.mean()) if len(known) else float("nan"),
        float(known.std(ddof=1)) if len(known) > 1 else float("nan"),
    )


def highest(rows: Sequence[Sequence[float]], first_row: int, first_column: int) -> set[tuple[int, int]]:
    """Return the cells with the highest value of their column, compared to three decimals."""
    best = set()
    for column, values in enumerate(zip(*rows, strict=True)):
        known = [round(value, 3) for value in values if not np.isnan(value)]
        if len(known) > 1:
            top = max(known)
            best |= {
                (first_row + at, first_column + column) for at, value in enumerate(values) if round(value, 3) == top
            }
    return best


def lowest(values: Sequence[float], row: int) -> set[tuple[int, int]]:
    """Return the cells of a row (after its name) with its lowest value, compared to three decimals."""
    known = [round(value, 3) for value in values if not np.isnan(value)]
    return {(row, 1 + at) for at, value in enumerate(values) if known and round(value, 3) == min(known)}
