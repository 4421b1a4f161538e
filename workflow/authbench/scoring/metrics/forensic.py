"""Compute the cost of likelihood ratios: Cllr, its minimum, and its value after calibration.

The cost is the loss in bits against the truth at even prior odds (Brümmer and du Preez 2006): 0 for a perfect system, 1
for a system that always returns a ratio of 1. Cllr_min is the cost after the best monotone transformation of the scores
and measures discrimination. The rest is the calibration loss.

`truth`, shape (n,), is True where both texts are by the same author; `scores`, shape (n,), are higher where that is
more likely; all ratios are natural logarithms of likelihood ratios.
"""

from collections.abc import Sequence

import numpy as np

from authbench.core.arrays import BOOL, F64, I64
from authbench.core.identity import keyed_hash

_REACH = 1.959963984540054  # standard errors between the value and each end of a 95 % interval
PARTS = 2  # parts of the problems: each is calibrated on the others


def cllr(truth: BOOL, ratios: F64) -> float:
    """Return the cost in bits of natural log likelihood ratios; NaN if a class or a ratio is missing.

    Infinite if a ratio excludes the truth.
    """
    if truth.all() or not truth.any() or np.isnan(ratios).any():
        return float("nan")
    return float((np.logaddexp(0, -ratios[truth]).mean() + np.logaddexp(0, ratios[~truth]).mean()) / (2 * np.log(2)))


def cllr_interval(truth: BOOL, ratios: F64) -> tuple[float, float] | None:
    """Return the 95 % interval of `cllr`, the mean of two class means; None if undefined or infinite.

    The ratios are taken as given: the uncertainty of a fitted calibration is ignored.
    """
    cost = cllr(truth, ratios)
    if not np.isfinite(cost) or min(truth.sum(), (~truth).sum()) < 2:
        return None
    sides = np.logaddexp(0, -ratios[truth]), np.logaddexp(0, ratios[~truth])
    error = np.sqrt(sum(side.var(ddof=1) / len(side) for side in sides)) / (2 * np.log(2))
    return max(0.0, float(cost - _REACH * error)), float(cost + _REACH * error)


def log_ratios(scores: F64) -> F64:
    """Return the log odds of scores, read as probabilities at even prior odds; 0 and 1 become infinite.

    NaN for a score outside [0, 1].
    """
    inside = (scores >= 0) & (scores <= 1)
    with np.errstate(divide="ignore"):
        chances = np.where(inside, scores, 0.5)
        found = np.log(chances) - np.log1p(-chances)
    return np.where(inside, found, np.nan)


def best_ratios(truth: BOOL, scores: F64) -> F64:
    """Return the ratios of least cost that are monotone in the scores (pool adjacent violators, ties merged).

    At the minimum, changing a problem's weight affects the cost to first order as if the ratios were fixed, so
    `cllr_interval` is valid.

    Returns:
        Shape (n,); NaN if a class is missing or a score is not finite.
    """
    from sklearn.isotonic import isotonic_regression

    if truth.all() or not truth.any() or not np.isfinite(scores).all():
        return np.full(len(scores), np.nan)
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    chances = isotonic_regression(np.bincount(place, truth) / counts, sample_weight=counts)[place]
    found: F64 = log_ratios(np.clip(chances, 0, 1)) - np.log(truth.sum() / (~truth).sum())
    return found


def calibrated(truth: BOOL, scores: F64, ids: Sequence[str]) -> F64:
    """Return log likelihood ratios of scores by a logistic curve, fitted on the other half of the problems.

    See `halves_of` for the halves of the problems `ids`, `calibrated_by` for the curve.
    """
    part = halves_of(ids)
    ratios = np.full(len(scores), np.nan)
    for one in range(PARTS):
        known, new = part != one, part == one
        if new.any():
            ratios[new] = calibrated_by(truth[known], scores[known], scores[new])
    return ratios


def halves_of(ids: Sequence[str]) -> I64:
    """Return the half of each problem, drawn by a hash of its id."""
    return np.array([keyed_hash(0, "calibration", one) % PARTS for one in ids], np.int64)


def calibrated_by(truth: BOOL, scores: F64, new: F64) -> F64:
    """Return natural log likelihood ratios of new scores, by a logistic curve fitted on scores with known truth.

    The curve's input is the normal quantile of a score's rank among `scores`, so that ratios do not depend on the scale
    of scores, and a score beyond all of these gets the ratio of the outermost. The curve never falls: if same-author
    scores are lower, it is constant and every ratio is 1 (logarithm 0), so that no verifier is inverted. NaN if the
    truth has a single class.

    Args:
        truth: shape (n,), of the problems that the curve is fitted on.
        scores: shape (n,), of the same problems.
        new: shape (m,), scores to calibrate.

    Returns:
        Shape (m,), natural logarithms.
    """
    from sklearn.linear_model import LogisticRegression

    if not truth.any() or truth.all():
        return np.full(len(new), np.nan)
    known = np.sort(scores)
    given, wanted = _normal_ranks(known, scores), _normal_ranks(known, new)
    curve = LogisticRegression(C=1e6).fit(given[:, None], truth)
    if curve.coef_[0, 0] <= 0:
        return np.zeros(len(new))
    found: F64 = curve.decision_function(wanted[:, None]) - np.log(truth.sum() / (~truth).sum())
    return found


def _normal_ranks(known: F64, scores: F64) -> F64:
    """Return the normal quantile of each score's rank among `known`, ascending; ties have their mean rank."""
    from scipy.special import ndtri

    below = (np.searchsorted(known, scores, "left") + np.searchsorted(known, scores, "right")) / 2
    quantiles: F64 = ndtri((below + 0.5) / (len(known) + 1))
    return quantiles


def detection_errors(truth: BOOL, scores: F64) -> tuple[F64, F64]:
    """Return the false alarm and miss rates at each distinct score, from the highest down.

    False alarms are 0 without negatives, misses 1 without positives.
    """
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    alarms, hits = np.cumsum(~truth[order])[last], np.cumsum(truth[order])[last]
    return alarms / max(int((~truth).sum()), 1), 1 - hits / max(int(truth.sum()), 1)


def at_least(ratios: F64) -> tuple[F64, F64]:
    """Return the distinct finite ratios in order, and the share of all ratios at least as large (Tippett)."""
    known = np.sort(ratios)
    found = np.unique(known[np.isfinite(known)])
    return found, 1 - np.searchsorted(known, found, "left") / max(len(known), 1)
