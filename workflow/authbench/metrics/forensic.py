"""What likelihood ratios cost: Cllr, its least value, and its value after calibration.

The cost of a likelihood ratio is what it loses in bits against the truth at even prior odds (Brümmer and du Preez
2006): 0 for a system that always knows, 1 for one that always says 1. Cllr_min is the cost of the best monotone reading
of the scores: what they tell apart. The rest is calibration.
"""

from collections.abc import Sequence

import numpy as np

from authbench.arrays import BOOL, F64, I64
from authbench.identity import keyed_hash

_REACH = 1.959963984540054  # standard errors to either end of an interval of 95 %
PARTS = 2  # of the problems: each is calibrated on the others


def cllr(truth: BOOL, ratios: F64) -> float:
    """Return the cost in bits of natural logarithms of likelihood ratios; NaN where a class or a ratio is missing.

    Infinite where a ratio rules out what is true.

    Args:
        truth: shape (n,), True where both texts are by one author.
        ratios: shape (n,), natural logarithms of likelihood ratios.

    Returns:
        Bits; 0 is perfect, 1 says nothing.
    """
    if truth.all() or not truth.any() or np.isnan(ratios).any():
        return float("nan")
    return float((np.logaddexp(0, -ratios[truth]).mean() + np.logaddexp(0, ratios[~truth]).mean()) / (2 * np.log(2)))


def cllr_interval(truth: BOOL, ratios: F64) -> tuple[float, float] | None:
    """Return the 95 % interval of `cllr`, the mean of two means; None where that is undefined or infinite.

    The ratios are taken as they are: that a calibration was fitted is not considered.

    Args:
        truth: shape (n,), True where both texts are by one author.
        ratios: shape (n,), natural logarithms of likelihood ratios.
    """
    cost = cllr(truth, ratios)
    if not np.isfinite(cost) or min(truth.sum(), (~truth).sum()) < 2:
        return None
    sides = np.logaddexp(0, -ratios[truth]), np.logaddexp(0, ratios[~truth])
    error = np.sqrt(sum(side.var(ddof=1) / len(side) for side in sides)) / (2 * np.log(2))
    return max(0.0, float(cost - _REACH * error)), float(cost + _REACH * error)


def log_ratios(scores: F64) -> F64:
    """Return the logarithm of the odds that scores tell, as probabilities at even prior odds; 0 and 1 are infinite.

    NaN for a score that is no probability.

    Args:
        scores: shape (n,), probabilities in [0, 1].

    Returns:
        Shape (n,), natural logarithms.
    """
    inside = (scores >= 0) & (scores <= 1)
    with np.errstate(divide="ignore"):
        chances = np.where(inside, scores, 0.5)
        found = np.log(chances) - np.log1p(-chances)
    return np.where(inside, found, np.nan)


def cllr_min(truth: BOOL, scores: F64) -> float:
    """Return the cost of the best ratios that rise with the scores (`best_ratios`).

    Args:
        truth: shape (n,), True where both texts are by one author.
        scores: shape (n,), higher means more likely one author.

    Returns:
        Bits, at most those of `cllr`.
    """
    return cllr(truth, best_ratios(truth, scores))


def best_ratios(truth: BOOL, scores: F64) -> F64:
    """Return the ratios of least cost that rise with the scores (pool adjacent violators, equal scores as one).

    As they cost least, their cost moves with a problem's weight as if they stayed: `cllr_interval` holds for it.

    Args:
        truth: shape (n,), True where both texts are by one author.
        scores: shape (n,), higher means more likely one author.

    Returns:
        Shape (n,), natural logarithms; NaN where a class is missing or a score is not finite.
    """
    from sklearn.isotonic import isotonic_regression

    if truth.all() or not truth.any() or not np.isfinite(scores).all():
        return np.full(len(scores), np.nan)
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    chances = isotonic_regression(np.bincount(place, truth) / counts, sample_weight=counts)[place]
    found: F64 = log_ratios(np.clip(chances, 0, 1)) - np.log(truth.sum() / (~truth).sum())
    return found


def calibrated(truth: BOOL, scores: F64, ids: Sequence[str]) -> F64:
    """Return log likelihood ratios of scores, by a logistic curve that is fitted on the other half of the problems.

    See `halves_of` for the halves, `calibrated_by` for the curve.

    Args:
        truth: shape (n,), True where both texts are by one author.
        scores: shape (n,), higher means more likely one author.
        ids: the n problems.

    Returns:
        Shape (n,), natural logarithms.
    """
    part = halves_of(ids)
    ratios = np.full(len(scores), np.nan)
    for one in range(PARTS):
        known, new = part != one, part == one
        if new.any():
            ratios[new] = calibrated_by(truth[known], scores[known], scores[new])
    return ratios


def halves_of(ids: Sequence[str]) -> I64:
    """Return the number of the half of each problem, drawn by a hash of its id."""
    return np.array([keyed_hash(0, "calibration", one) % PARTS for one in ids], np.int64)


def calibrated_by(truth: BOOL, scores: F64, new: F64) -> F64:
    """Return natural log likelihood ratios of new scores, by a logistic curve fitted on others with their truth.

    The curve is that of the odds that scores tell, with the furthest finite ones for 0 and 1; of the scores themselves
    where one is no probability. It never falls: where scores are lower for one author than for two, it is level and
    every ratio is 1 (logarithm 0), as a verifier is not turned round. NaN where the truth is of one class.

    Args:
        truth: shape (n,), of the problems that the curve is fitted on.
        scores: shape (n,), of the same.
        new: shape (m,), scores to calibrate.

    Returns:
        Shape (m,), natural logarithms.
    """
    from sklearn.linear_model import LogisticRegression

    if not truth.any() or truth.all():
        return np.full(len(new), np.nan)
    given, wanted = log_ratios(scores), log_ratios(new)
    if np.isnan(given).any() or np.isnan(wanted).any():
        given, wanted = scores, new
    both = np.concatenate([given, wanted])
    finite = both[np.isfinite(both)]
    given, wanted = (np.clip(one, finite.min(initial=-1), finite.max(initial=1)) for one in (given, wanted))
    curve = LogisticRegression(C=1e6).fit(given[:, None], truth)
    if curve.coef_[0, 0] <= 0:
        return np.zeros(len(new))
    found: F64 = curve.decision_function(wanted[:, None]) - np.log(truth.sum() / (~truth).sum())
    return found


def detection_errors(truth: BOOL, scores: F64) -> tuple[F64, F64]:
    """Return the shares of false alarms and of misses at each distinct score, from the highest down.

    Args:
        truth: shape (n,), True where both texts are by one author.
        scores: shape (n,), of the same pairs.

    Returns:
        Two of shape (distinct scores,), in [0, 1]; 0 alarms without a negative, 1 misses without a positive.
    """
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    alarms, hits = np.cumsum(~truth[order])[last], np.cumsum(truth[order])[last]
    return alarms / max(int((~truth).sum()), 1), 1 - hits / max(int(truth.sum()), 1)


def at_least(ratios: F64) -> tuple[F64, F64]:
    """Return the distinct finite ratios in order, and the share of all that is at least as large (Tippett).

    Args:
        ratios: shape (n,).

    Returns:
        Two arrays of shape (distinct values,).
    """
    known = np.sort(ratios)
    found = np.unique(known[np.isfinite(known)])
    return found, 1 - np.searchsorted(known, found, "left") / max(len(known), 1)
