"""Tables of which systems' F1 differ by more than chance (overview of PAN 2021, table 2)."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import polars as pl

from authbench.arrays import F64
from authbench.identity import keyed_hash
from authbench.metrics.pan import Truth
from authbench.metrics.significance import ROUNDS, holm, p_of_paired_f1

SIGNS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))


def compare_all(truth: Truth, scores: Mapping[str, F64], seed: int, rounds: int = ROUNDS) -> pl.DataFrame:
    """Return `system`, `other`, `difference` of F1, `p`, `p_holm` for each two systems, in the order of `scores`."""
    rows = []
    for one, other in combinations(scores, 2):
        first, second = sorted([one, other])
        chance = np.random.Generator(np.random.Philox(keyed_hash(seed, "F1", first, second)))
        difference, p = p_of_paired_f1(truth, scores[first], scores[second], chance, rounds)
        rows.append((one, other, difference if one == first else -difference, p))
    table = pl.DataFrame(
        rows,
        schema={"system": pl.String, "other": pl.String, "difference": pl.Float64, "p": pl.Float64},
        orient="row",
    )
    return table.with_columns(pl.Series("p_holm", holm(table["p"].to_numpy()), dtype=pl.Float64))


def _sign(p: float) -> str:
    """Return the overview's notation of a p value.

    >>> [_sign(p) for p in (0.0001, 0.004, 0.03, 0.05)]
    ['***', '**', '*', '=']
    """
    return next((mark for below, mark in SIGNS if p < below), "=")


def matrix(pairs: pl.DataFrame, corrected: bool = False) -> pl.DataFrame:
    """Return the overview's table 2, `_sign` above the diagonal, with p values corrected by Holm where `corrected`.

    It has a row for each system but the last, and a column for each but the first.
    """
    names = list(dict.fromkeys([*pairs["system"], *pairs["other"]]))
    column = "p_holm" if corrected else "p"
    signs = {(one, other): _sign(p) for one, other, p in pairs.select("system", "other", column).iter_rows()}
    return pl.DataFrame(
        {"system": names[:-1]} | {other: [signs.get((one, other), "") for one in names[:-1]] for other in names[1:]}
    )
