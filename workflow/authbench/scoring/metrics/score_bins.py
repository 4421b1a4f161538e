"""Compute error rate and ROC area of more scores than fit into memory, from counts in ordered bins.

The 32 bits of a score, transformed to sort as numbers do, begin with sign, exponent and the leading fraction bits;
these are its bin. Scores within a bin, which differ by less than 1 / 2,048 of their magnitude, count as the same
threshold.
"""

import numpy as np

from authbench.core.arrays import F64, I64, U32
from authbench.scoring.metrics.auc import area_of_wins
from authbench.scoring.metrics.error_rate import error_rates_of_histograms

BITS = 20
_SIGN = np.uint32(0x80000000)


def bins_of(scores: F64) -> I64:
    """Return the bin of each score, in the order of the scores; shape (n,), values below 2 ** BITS.

    >>> import numpy as np
    >>> (np.diff(bins_of(np.array([-2.0, -1.0, 0.0, 0.5, 0.75]))) > 0).all()
    np.True_
    """
    bits: U32 = (scores.astype(np.float32) + np.float32(0)).view(np.uint32)
    turned = np.where(bits & _SIGN, ~bits, bits | _SIGN)
    return (turned >> np.uint32(32 - BITS)).astype(np.int64)


def rates_of_bins(positives: F64, negatives: I64) -> tuple[float, float]:
    """Return the equal error rate and the area under the ROC curve; NaN if a side is empty.

    Args:
        positives: their scores.
        negatives: shape (2 ** BITS,), the number of negatives per bin.
    """
    counted = np.bincount(bins_of(positives), minlength=len(negatives))
    used = np.flatnonzero(counted + negatives)
    right, wrong = counted[used].astype(np.float64), negatives[used].astype(np.float64)
    [eer] = error_rates_of_histograms(right[None], wrong[None])
    below = np.cumsum(wrong) - wrong
    wins = float((right * (below + wrong / 2)).sum())
    return float(eer), float(area_of_wins(wins, float(right.sum()), float(wrong.sum())))
