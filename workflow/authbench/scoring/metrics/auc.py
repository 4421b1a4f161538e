"""Compute the area under the ROC curve from counts of positive-negative pairs.

The area is the share of pairs in which the positive scores higher, with ties counted .5 (Mann and Whitney 1947).
Callers that cannot hold all scores, or that need many areas at once, count the pairs themselves.
"""

import numpy as np

from authbench.core.arrays import BOOL, F64, I64


def auc(truth: BOOL, scores: F64) -> float:
    """Return the area under the ROC curve; NaN if a class is missing or a score is not finite.

    `truth`, shape (n,), is True for positives; of `scores`, shape (n,), higher means more likely positive.
    """
    positives, negatives = scores[truth], scores[~truth]
    if not np.isfinite(scores).all():
        return float("nan")
    wins = pairs_below(np.sort(negatives), positives)
    return float(area_of_wins(wins, len(positives), len(negatives)))


def area_of_wins(wins: float | F64, positives: float, negatives: float) -> float | F64:
    """Return the area, of the shape of `wins`, for so many pairs in which the positive scores higher.

    NaN if the number of positives or of negatives is 0.
    """
    pairs = positives * negatives
    return wins / pairs if pairs else wins * float("nan")


def pairs_below(ascending: F64, scores: F64) -> float:
    """Return how many pairs have a value of `ascending` (sorted) below a value of `scores`; ties count .5."""
    scores = np.sort(scores)  # sorted scores make lookups local
    low, high = np.searchsorted(ascending, scores, "left"), np.searchsorted(ascending, scores, "right")
    return float(low.sum() + (high - low).sum() / 2)


def areas_of_groups(groups: I64, truth: BOOL, scores: F64) -> F64:
    """Return the area per group, shape (groups,): the share of its negatives below its positive.

    Args:
        groups: shape (n,), the number of each row's group, from 0 without gaps.
        truth: shape (n,), True for the positive of a group.
        scores: shape (n,).

    Returns:
        NaN for a group without a positive, without a negative, or with a non-finite score.
    """
    count = int(groups.max(initial=-1)) + 1
    positive = np.full(count, np.nan)
    positive[groups[truth]] = scores[truth]
    of_negative, against = groups[~truth], scores[~truth]
    with np.errstate(invalid="ignore"):
        apart = positive[of_negative] - against
        won = np.where(np.isfinite(apart), (np.sign(apart) + 1) / 2, np.nan)
        area: F64 = np.bincount(of_negative, won, count) / np.bincount(of_negative, minlength=count)
    return area
