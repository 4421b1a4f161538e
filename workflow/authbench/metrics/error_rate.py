"""The equal error rate of verification scores, exact and from histograms."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from authbench.arrays import F32, F64, I64


class ErrorRate(NamedTuple):
    """The equal error rate, and the operating point next to it.

    Attributes:
        eer: where the false acceptance and the false rejection rate are equal, linear between operating points.
        far: the share of negatives accepted (score >= threshold).
        frr: the share of positives refused.
        threshold: the highest one at which both rates are closest.
    """

    eer: float
    far: float
    frr: float
    threshold: float


def error_rate(positives: F64, negatives: F64) -> ErrorRate:
    """Return the equal error rate of scores; all NaN where one side is empty.

    Equal scores are one threshold (AuthBench paper, A.9). Fastest where both sides are sorted.
    """
    if not len(positives) or not len(negatives):
        return ErrorRate(*[np.nan] * 4)
    scores = np.concatenate([positives, negatives])
    order = np.argsort(scores, kind="stable")
    scores, positives_below = scores[order], np.cumsum(order < len(positives))
    below = np.append(0, np.flatnonzero(scores[1:] != scores[:-1]) + 1)  # of each threshold, the number of lower scores
    thresholds, missed = scores[below], np.append(0, positives_below)[below]
    far, frr = 1.0 - (below - missed) / len(negatives), missed / len(positives)
    far, frr = np.append(far, 0.0), np.append(frr, 1.0)
    gap = np.abs(far - frr)
    at = len(gap) - 1 - int(np.argmin(np.round(gap[::-1], 15)))
    return ErrorRate(_crossing(far, frr), float(far[at]), float(frr[at]), float(np.append(thresholds, np.inf)[at]))


def _crossing(far: F64, frr: F64) -> float:
    """Return where the falling FAR meets the rising FRR, on straight lines between the operating points."""
    gap = far - frr
    after = int(np.argmax(gap <= 0))
    if after == 0 or gap[after] == 0:
        return float(far[after])
    before = after - 1
    share = gap[before] / (gap[before] - gap[after])
    return float(far[before] + share * (far[after] - far[before]))


def error_rates_of_histograms(positives: NDArray[Any], negatives: NDArray[Any]) -> F64:
    """Return the equal error rate of each row, shape (rows,).

    Within a bin both rates change along a straight line.

    Args:
        positives: shape (rows, bins), counts of scores by bin, lowest bin first.
        negatives: the same of the negatives.

    Returns:
        NaN where one side of a row is empty.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        frr = np.cumsum(positives, axis=1) / positives.sum(axis=1, keepdims=True)
        far = 1.0 - np.cumsum(negatives, axis=1) / negatives.sum(axis=1, keepdims=True)
    frr = np.concatenate([np.zeros((len(frr), 1)), frr], axis=1)
    far = np.concatenate([np.ones((len(far), 1)), far], axis=1)
    gap = far - frr
    after = np.maximum(np.argmax(gap <= 0, axis=1), 1)
    row = np.arange(len(gap))
    before = after - 1
    with np.errstate(invalid="ignore", divide="ignore"):
        share = gap[row, before] / (gap[row, before] - gap[row, after])
    found = far[row, before] + share * (far[row, after] - far[row, before])
    return np.where(np.isfinite(frr[:, -1]) & np.isfinite(far[:, -1]), found, np.nan)


def histograms(author: I64, place: NDArray[Any], authors: int, bins: int) -> F32:
    """Return how many scores of each author are in each bin, shape (authors, bins)."""
    return np.bincount(author * bins + place, minlength=authors * bins).reshape(authors, bins).astype(np.float32)
