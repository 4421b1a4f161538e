"""Test which systems differ by more than chance: in F1 (overview of PAN 2021, table 2), AUC, Brier and Overall."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import polars as pl

from authbench.core.arrays import F64
from authbench.scoring.metrics.influence import influences, p_of_areas, p_of_difference
from authbench.scoring.metrics.paired_f1 import p_of_paired_f1
from authbench.scoring.metrics.pan import OF_MACHINES, Truth, evaluate, without_open
from authbench.scoring.metrics.significance import holm

SIGNS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
COMPARED = ("f1", "auc", "brier", "overall")
_SCHEMA = {"measure": pl.String, "system": pl.String, "other": pl.String, "difference": pl.Float64, "p": pl.Float64}


def compare_all(
    truth: Truth,
    scores: Mapping[str, F64],
    published_2020: bool = False,
    year: int = 2021,
    measures: Sequence[str] = COMPARED[:1],
) -> pl.DataFrame:
    """Return `measure`, `system`, `other`, `difference`, `p`, `p_holm` for every two systems, in the order of `scores`.

    F1 is tested by all swaps of answers, AUC by DeLong's test, Brier and Overall by each problem's influence; `p_holm`
    is corrected within a measure. Values are null if a measure is set by convention, such as Brier with scores outside
    [0, 1].

    Args:
        truth: shape (problems,), True where both texts are by the same author.
        scores: by system, each of shape (problems,).
        published_2020: measure as PAN 2020 published, as in `metrics.pan.evaluate`.
    """
    decided = {name: without_open(own) if year >= OF_MACHINES else own for name, own in scores.items()}
    values, moved = {}, {}
    for name, own in scores.items() if set(measures) - {"f1"} else ():
        values[name] = evaluate(truth, own, published_2020, year)
        moved[name] = influences(truth, own, published_2020, year)
    rows = []
    for measure in measures:
        for one, other in combinations(scores, 2):
            if measure == "f1":
                difference, p = p_of_paired_f1(truth, decided[one], decided[other])
            else:
                difference = values[one][measure] - values[other][measure]
                pair = moved[one][measure], moved[other][measure]
                p = p_of_areas(truth, difference, *pair) if measure == "auc" else p_of_difference(difference, *pair)
            rows.append((measure, one, other, difference, p))
    table = pl.DataFrame(rows, schema=_SCHEMA, orient="row").with_columns(pl.col("difference", "p").fill_nan(None))
    parts = [
        part.with_columns(pl.Series("p_holm", _corrected(part["p"]), dtype=pl.Float64))
        for part in table.partition_by("measure", maintain_order=True)
    ]
    return pl.concat(parts) if parts else table.with_columns(p_holm=pl.lit(None, pl.Float64))


def _corrected(p: pl.Series) -> F64:
    values = p.fill_null(float("nan")).to_numpy().copy()
    known = np.isfinite(values)
    values[known] = holm(values[known])
    return np.asarray(values, np.float64)


def _sign(p: float | None) -> str:
    """Return the overview's notation of a p value, or `?` if unknown.

    >>> [_sign(p) for p in (0.0001, 0.004, 0.03, 0.05, None)]
    ['***', '**', '*', '=', '?']
    """
    if p is None:
        return "?"
    return next((mark for below, mark in SIGNS if p < below), "=")


def matrix(pairs: pl.DataFrame, corrected: bool = False, measure: str = "f1") -> pl.DataFrame:
    """Return the overview's table 2, `_sign` above the diagonal, with Holm-corrected p values if `corrected`.

    It has a row for each system but the last, and a column for each but the first.
    """
    own = pairs.filter(pl.col("measure") == measure)
    names = list(dict.fromkeys([*own["system"], *own["other"]]))
    column = pl.col("p_holm" if corrected else "p").fill_nan(None)
    signs = {(one, other): _sign(p) for one, other, p in own.select("system", "other", column).iter_rows()}
    return pl.DataFrame(
        {"system": names[:-1]} | {other: [signs.get((one, other), "") for one in names[:-1]] for other in names[1:]}
    )
