"""Which systems' F1 differ by more than chance?

Approximate randomisation (Noreen 1989; overview of PAN 2021, table 2): the answers of two systems are swapped at
random, and the difference of their F1 is looked at again. How the answers fall is all that counts: among n problems
on which two systems differ in the same way, a round gives one of them a binomial number of either answer. So a round
takes four draws, however many problems there are, and is distributed as if every problem were swapped on its own.
"""

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import polars as pl

from authbench.arrays import F64, I64
from authbench.identity import keyed_hash
from authbench.metrics.significance import ROUNDS, holm
from authbench.pan.metrics import Truth

SIGNS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))


def compare_all(truth: Truth, scores: Mapping[str, F64], seed: int, rounds: int = ROUNDS) -> pl.DataFrame:
    """`system`, `other`, `difference` of F1, `p`, `p_holm` for each two systems, in the order in which they come."""
    rows = []
    for one, other in combinations(scores, 2):
        first, second = sorted([one, other])
        chance = np.random.Generator(np.random.Philox(keyed_hash(seed, "F1", first, second)))
        difference, p = compare(truth, scores[first], scores[second], chance, rounds)
        rows.append((one, other, difference if one == first else -difference, p))
    table = pl.DataFrame(
        rows,
        schema={"system": pl.String, "other": pl.String, "difference": pl.Float64, "p": pl.Float64},
        orient="row",
    )
    return table.with_columns(pl.Series("p_holm", holm(table["p"].to_numpy()), dtype=pl.Float64))


def compare(
    truth: Truth, one: F64, other: F64, chance: np.random.Generator, rounds: int = ROUNDS
) -> tuple[float, float]:
    """The difference of F1 and its two-sided p, which counts the observed difference among the rounds."""
    yes, no = (one > 0.5, other > 0.5), (one < 0.5, other < 0.5)
    silent = (one == 0.5, other == 0.5)
    of_one, of_both = np.zeros((rounds, 3), np.int64), np.zeros(3, np.int64)
    observed = np.zeros((2, 3), np.int64)
    for answer, problems, place in ((yes, truth, HIT), (no, truth, MISSED), (yes, ~truth, FALSE)):
        both = int((answer[0] & answer[1] & problems).sum())
        of_one[:, place] += both
        of_both[place] += 2 * both
        for system in (0, 1):
            observed[system, place] += int((answer[system] & problems).sum())
    for problems, first, second, place, place_of_rest in (
        (truth, yes, no, HIT, MISSED),
        (truth, yes, silent, HIT, None),
        (truth, no, silent, MISSED, None),
        (~truth, yes, (~yes[0], ~yes[1]), FALSE, None),
    ):
        apart = int((problems & ((first[0] & second[1]) | (second[0] & first[1]))).sum())
        drawn = chance.binomial(apart, 0.5, rounds)
        of_one[:, place] += drawn
        of_both[place] += apart
        if place_of_rest is not None:
            of_one[:, place_of_rest] += apart - drawn
            of_both[place_of_rest] += apart
    difference = float(f1_of(observed[:1])[0] - f1_of(observed[1:])[0])
    drawn_differences = np.abs(f1_of(of_one) - f1_of(of_both - of_one))
    as_far = int((drawn_differences >= abs(difference) - 1e-12).sum())
    return difference, (as_far + 1) / (rounds + 1)


HIT, MISSED, FALSE = range(3)


def f1_of(counts: I64) -> F64:
    """F1 from rows of (hits, missed, false alarms); 0 without a hit."""
    hits = counts[:, HIT]
    found: F64 = 2 * hits / np.maximum(2 * hits + counts[:, MISSED] + counts[:, FALSE], 1)
    return found


def sign(p: float) -> str:
    """The overview's notation.

    >>> [sign(p) for p in (0.0001, 0.004, 0.03, 0.05)]
    ['***', '**', '*', '=']
    """
    return next((mark for below, mark in SIGNS if p < below), "=")


def matrix(pairs: pl.DataFrame, corrected: bool = False) -> pl.DataFrame:
    """The overview's table 2: a row for each system but the last, a column for each but the first, `sign` above the
    diagonal; `corrected` by Holm."""
    names = list(dict.fromkeys([*pairs["system"], *pairs["other"]]))
    column = "p_holm" if corrected else "p"
    signs = {(one, other): sign(p) for one, other, p in pairs.select("system", "other", column).iter_rows()}
    return pl.DataFrame(
        {"system": names[:-1]} | {other: [signs.get((one, other), "") for one in names[:-1]] for other in names[1:]}
    )
