"""Choose the thresholds of PAN's naive baseline between "two authors", no answer and "one author".

Two thresholds p1 < p2 on a grid, chosen for the overall score of 2021.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from authbench.core.arrays import F64
from authbench.core.errors import InputError
from authbench.scoring.metrics.auc import area_of_wins
from authbench.scoring.metrics.pan import Truth
from authbench.scoring.metrics.ranking import average_ranks
from authbench.scoring.verifiers import Bench, Kind

GRID = np.arange(0.01, 0.99, 0.01)


class Thresholds(NamedTuple):
    p1: float
    p2: float


def thresholded(
    fit: Callable[[pl.DataFrame, Any, Bench], object],
    similarities: Callable[[Any, pl.DataFrame], F64],
    sample: Callable[[Any, pl.DataFrame], pl.DataFrame] = lambda fitted, held_out: held_out,
) -> Kind:
    """Return the kind that rescales the similarities of pairs by thresholds from a sample of the held-out pairs."""

    def calibrate(fitted: object, held_out: pl.DataFrame) -> tuple[object, Thresholds]:
        asked = sample(fitted, held_out)
        return fitted, search(asked["same"].to_numpy(), similarities(fitted, asked))

    def predict(calibrated: tuple[object, Thresholds], pairs: pl.DataFrame) -> F64:
        fitted, thresholds = calibrated
        return rescale(similarities(fitted, pairs), thresholds)

    return Kind(fit, predict, calibrate)


def rescale(similarities: F64, thresholds: Thresholds) -> F64:
    """Return scores from similarities, shape (n,), in [0, 1].

    Similarities up to p1 map to [0, 0.49], similarities from p2 to [0.51, 1], others to 0.5.
    """
    p1, p2 = thresholds
    low, high = similarities <= p1, similarities >= p2
    scores = np.full(len(similarities), 0.5)
    scores[high] = 0.51 + (similarities[high] - p2) / (1 - p2) * 0.49
    scores[low] = similarities[low] / p1 * 0.49
    return scores


def search(truth: Truth, similarities: F64) -> Thresholds:
    """Return the first p1 < p2 of GRID, p1 first, with the highest overall score, compared at three decimals.

    Points with undefined F0.5u are left out. Raises InputError if it is undefined at all points.

    Args:
        truth: shape (n,), True if both texts are by the same author.
        similarities: shape (n,), in [0, 1].
    """
    p1, p2 = (GRID[places] for places in np.triu_indices(len(GRID), 1))
    found = np.round(overall_on_grid(truth, similarities, p1, p2), 3)
    if np.isnan(found).all():
        raise InputError("No two thresholds can be distinguished: no pair is by one author, and none is claimed to be.")
    best = int(np.nanargmax(found))
    return Thresholds(float(p1[best]), float(p2[best]))


def overall_on_grid(truth: Truth, similarities: F64, p1: F64, p2: F64) -> F64:
    """Return the overall score after `rescale` by each p1 and p2, from running sums over the sorted similarities.

    In sorted order, the answers "two authors" end at `low` and the pairs without an answer at `high`.

    Args:
        truth: shape (n,), True if both texts are by the same author.
        similarities: shape (n,), in [0, 1].
        p1: shape (points,), lower thresholds.
        p2: shape (points,), the upper threshold of each.

    Returns:
        Shape (points,); NaN where F0.5u is undefined.
    """
    order = np.argsort(similarities, kind="stable")
    s, same = similarities[order], truth[order].astype(np.float64)
    low, high, count = np.searchsorted(s, p1, "right"), np.searchsorted(s, p2, "left"), len(s)
    positives, sums, squares, products = (_running(values) for values in (same, s, s * s, s * same))
    below = _running(same * (average_ranks(s) - _ranks_within(s, same)))
    every, wins = positives[-1], below[-1]
    silent = high - low
    right, wrong, missed = every - positives[high], count - high - (every - positives[high]), positives[low]
    silent_same = positives[high] - positives[low]
    silent_wins = below[high] - below[low] - silent_same * (low - positives[low])
    with np.errstate(invalid="ignore", divide="ignore"):
        won = wins - silent_wins + silent_same * (silent - silent_same) / 2
        auc = np.nan_to_num(area_of_wins(won, every, count - every))
        f1 = np.where(right > 0, 2 * right / (2 * right + wrong + missed), 0.0)
        f05u = 1.25 * right / (1.25 * right + 0.25 * (missed + silent) + wrong)
    correct = right + low - missed
    c_at_1 = (correct + silent * correct / count) / count
    slope, steep = 0.49 / p1, 0.49 / (1 - p2)
    base = 0.51 - steep * p2
    errors = slope**2 * squares[low] - 2 * slope * products[low] + missed + silent / 4
    errors += (count - high) * base**2 + steep**2 * (squares[-1] - squares[high]) + (1 - 2 * base) * right
    errors += 2 * steep * (base * (sums[-1] - sums[high]) - (products[-1] - products[high]))
    return np.asarray((auc + c_at_1 + f1 + f05u + (1 - errors / count)) / 5)


def _running(values: F64) -> F64:
    """Return sums of the first 0, 1, 2, ... values."""
    return np.concatenate([[0.0], np.cumsum(values)])


def _ranks_within(s: F64, same: F64) -> F64:
    """Return the rank of each value among the "one author" values, which is the excess of its rank among all values."""
    ranks = np.zeros(len(s))
    ranks[same > 0] = average_ranks(s[same > 0])
    return ranks
