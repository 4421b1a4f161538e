"""Compute the equal error rate of verification scores, exactly or from histograms."""

from typing import NamedTuple

import numpy as np

from authbench.core.arrays import F32, F64, I64

_REACH = 8  # bins on each side of the crossing that are searched first for the replicates' rates


class ErrorRate(NamedTuple):
    """The equal error rate, and the operating point next to it.

    Attributes:
        eer: where the false acceptance rate equals the false rejection rate, interpolated linearly between operating
            points.
        far: the share of negatives accepted (score >= threshold).
        frr: the share of positives rejected.
        threshold: the highest threshold with the smallest difference of both rates.
    """

    eer: float
    far: float
    frr: float
    threshold: float


def error_rate(positives: F64, negatives: F64) -> ErrorRate:
    """Return the equal error rate of scores; all NaN if a side is empty or contains a NaN.

    Equal scores share a threshold (AuthBench paper, A.9). Fastest for sorted input.

    Args:
        positives: shape (n,), scores of same-author pairs; higher means more alike.
        negatives: shape (m,), scores of different-author pairs.
    """
    if not len(positives) or not len(negatives):
        return ErrorRate(*[np.nan] * 4)
    from authbench.scoring.metrics.error_rate_kernels import operating_point

    ascending = [np.sort(np.asarray(side, np.float64), kind="stable") for side in (positives, negatives)]
    if any(np.isnan(side[-1]) for side in ascending):  # NaN is sorted last
        return ErrorRate(*[np.nan] * 4)
    return ErrorRate(*operating_point(*ascending))


def error_rates_of_histograms(positives: np.ndarray, negatives: np.ndarray) -> F64:
    """Return the equal error rate of each row, shape (rows,).

    Both rates are linear within a bin.

    Args:
        positives: shape (rows, bins), counts of scores by bin, lowest bin first.
        negatives: the same for negatives.

    Returns:
        NaN if a side of a row is empty.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        frr = np.cumsum(positives, axis=1) / positives.sum(axis=1, keepdims=True)
        far = 1.0 - np.cumsum(negatives, axis=1) / negatives.sum(axis=1, keepdims=True)
    frr = np.concatenate([np.zeros((len(frr), 1)), frr], axis=1)
    far = np.concatenate([np.ones((len(far), 1)), far], axis=1)
    return np.where(np.isfinite(frr[:, -1]) & np.isfinite(far[:, -1]), _crossings(far, far - frr), np.nan)


def error_rates_of_replicates(weights: F32, positives: F32, negatives: F32) -> F64:
    """Return `error_rates_of_histograms(weights @ positives, weights @ negatives)`, shape (replicates,).

    Only the bins around the crossing are weighted, because all replicates cross near the unweighted histograms'
    crossing. Exact while no sum of counts exceeds 2 ** 24, the largest integer range of 32-bit floats.

    Args:
        weights: shape (replicates, authors), whole numbers.
        positives: shape (authors, bins), from `histograms`.
        negatives: likewise.
    """
    below = [np.cumsum(side, axis=1) for side in (positives, negatives)]
    totals = [weights @ side[:, -1] for side in below]
    bins = positives.shape[1]
    first, last = 0, bins
    whole = [side.sum(axis=0) for side in below]
    if all(side[-1] for side in whole):
        gap = 1.0 - whole[1] / whole[1][-1] - whole[0] / whole[0][-1]
        middle, reach = int(np.argmax(gap <= 0)) + 1, _REACH
        first, last = max(0, middle - reach), min(bins, middle + reach)
    while True:
        rates = [_rates(weights, side, total, first, last) for side, total in zip(below, totals, strict=True)]
        frr, far = rates[0].astype(np.float64), (np.float32(1.0) - rates[1]).astype(np.float64)
        gap = far - frr
        known = np.isfinite(gap[:, -1])
        if (first == 0 or (gap[known, 0] > 0).all()) and (last == bins or (gap[known, -1] <= 0).all()):
            break
        reach = last - first
        first, last = max(0, first - reach), min(bins, last + reach)
    return np.where(known, _crossings(far, gap), np.nan)


def _rates(weights: F32, below: F32, totals: F32, first: int, last: int) -> F32:
    """Return by replicate the share of scores below the ends of bins `first` to `last`; bin 0 ends below all."""
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = (weights @ below[:, max(first - 1, 0) : last]) / totals[:, None]
    padding = np.zeros((len(shares), 0 if first else 1), np.float32)
    return np.concatenate([padding, shares], axis=1)


def _crossings(far: F64, gap: F64) -> F64:
    """Return where each row's falling FAR meets its rising FRR, `gap` below it, interpolated linearly."""
    after = np.maximum(np.argmax(gap <= 0, axis=1), 1)
    row = np.arange(len(gap))
    before = after - 1
    with np.errstate(invalid="ignore", divide="ignore"):
        share = gap[row, before] / (gap[row, before] - gap[row, after])
    found: F64 = far[row, before] + share * (far[row, after] - far[row, before])
    return found


def histograms(author: I64, place: np.ndarray, authors: int, bins: int) -> F32:
    """Return the number of each author's scores per bin, shape (authors, bins)."""
    return np.bincount(author * bins + place, minlength=authors * bins).reshape(authors, bins).astype(np.float32)
