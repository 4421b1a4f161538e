"""Compute intervals of PAN's measures, and tests of two systems, from the influence of each problem.

A problem's influence is the derivative of a measure by its weight, times the number of problems (Hampel 1974). For a
mean it is the value minus the mean; for the AUC it follows from the placements of DeLong et al. (1988), and the test of
two AUCs is theirs. The variance of a measure is the variance of its influences over the number of problems. Two systems
are compared by Student's test of their influences' differences; for Brier, this is the paired t-test. Problems are
treated as independent, although authors occur in several.
"""

from collections.abc import Mapping

import numpy as np

from authbench.core.arrays import BOOL, F64
from authbench.scoring.metrics.auc import auc
from authbench.scoring.metrics.pan import MEASURES, OF_2020, OF_MACHINES, Truth

LEVEL = 0.95
OVERALL = "overall"


def influences(truth: Truth, scores: F64, published_2020: bool = False, year: int = 2021) -> dict[str, F64]:
    """Return the influence of each problem on each of MEASURES and on `overall` of that year, shape (n,) each.

    NaN for an undefined measure, including the AUC of a single class and Brier with a score outside [0, 1], whose
    values are set by convention.
    """
    scores = np.clip(scores, 0.0, 1.0) if year == 2024 else scores
    silent, said = scores == 0.5, scores > 0.5
    right = (said == truth) & (~silent | (year == 2024))
    counted = ~silent | (year >= OF_MACHINES)
    found = {
        "auc": _of_auc(truth, scores),
        "c@1": (1 + silent.mean()) * (right - right.mean()) + right.mean() * (silent - silent.mean()),
        "f1": _of_ratio(2 * (said & truth).astype(np.float64), counted * (1.0 * said + truth)),
        "f0.5u": _of_f05u(truth, np.where(silent, 1.0, scores) if published_2020 else scores),
        "brier": _of_brier(truth, np.clip(scores, 0.0, 1.0) if year >= OF_MACHINES else scores),
    }
    measures = OF_2020 if year == 2020 else MEASURES
    moved = np.array([found[name] for name in measures])
    if year > OF_MACHINES:  # undefined measures count 0 for any problems
        moved = np.where(np.isnan(moved).all(axis=1, keepdims=True), 0.0, moved)
    return {**found, OVERALL: moved.mean(axis=0)}


def _of_auc(truth: Truth, scores: F64) -> F64:
    """Return the placement of each problem among the other class, minus the AUC, over its class's share."""
    area = auc(truth, scores)
    if np.isnan(area):
        return np.full(len(scores), np.nan)
    found = np.empty(len(scores))
    for own, other, sign in ((truth, ~truth, 1.0), (~truth, truth, -1.0)):
        ordered = np.sort(scores[other])
        below = np.searchsorted(ordered, scores[own], "left") + np.searchsorted(ordered, scores[own], "right")
        share = below / (2 * len(ordered))
        found[own] = ((share if sign > 0 else 1 - share) - area) / own.mean()
    return found


def _of_ratio(above: F64, below: F64) -> F64:
    """Return the influences on a ratio of two means; zeros if the numerator is 0."""
    top, bottom = above.mean(), below.mean()
    found: F64 = (above * bottom - top * below) / bottom**2 if top else np.zeros(len(above))
    return found


def _of_f05u(truth: Truth, scores: F64) -> F64:
    said, silent = scores > 0.5, scores == 0.5
    right, missed = said & truth, (scores < 0.5) & truth
    weight = 1.25 * right + 0.25 * (missed | silent) + (said & ~truth)
    return _of_ratio(1.25 * right.astype(np.float64), weight) if weight.any() else np.full(len(scores), np.nan)


def _of_brier(truth: Truth, scores: F64) -> F64:
    if not ((scores >= 0) & (scores <= 1)).all():
        return np.full(len(scores), np.nan)
    values = 1 - (scores - truth) ** 2
    return np.asarray(values - values.mean(), np.float64)


def interval(value: float, influence: F64) -> tuple[float, float] | None:
    """Return the 95 % interval of a measure in [0, 1], on the log odds scale; None if undefined.

    If no problem influences a value of 0 or 1, the other limit is Clopper and Pearson's (1934) for that many problems.

    Args:
        value: of the measure.
        influence: shape (problems,), from `influences`.
    """
    from scipy.special import expit, logit
    from scipy.stats import norm

    count = len(influence)
    error = np.sqrt(np.square(influence).sum() / max(count - 1, 1) / count)
    if not np.isfinite([value, error]).all():
        return None
    if not 0 < value < 1:
        possible = 1 - ((1 - LEVEL) / 2) ** (1 / count)
        return (0.0, possible) if value <= 0 else (1 - possible, 1.0)
    reach = norm.ppf((1 + LEVEL) / 2) * error / (value * (1 - value))
    low, high = expit(logit(value) + np.array([-reach, reach]))
    return float(low), float(high)


def intervals(values: Mapping[str, float], found: Mapping[str, F64]) -> dict[str, tuple[float, float] | None]:
    """Return the `interval` of each measure, from its value and its influences, each of shape (problems,)."""
    return {name: interval(values[name], found[name]) for name in found}


def p_of_difference(difference: float, one: F64, other: F64) -> float:
    """Return the two-sided p that two systems have equal values, from paired influences; NaN if undefined.

    It is never below the smallest p that swapping the answers of so many problems can give.

    Args:
        difference: of the two systems' values.
        one: shape (n,), the influence of each problem on the first value.
        other: shape (n,), on the second.
    """
    from scipy.special import stdtr

    count = len(one)
    apart = one - other
    if not np.isfinite(difference) or not np.isfinite(apart).all() or count < 2:
        return float("nan")
    error = np.sqrt(np.square(apart).sum() / (count - 1) / count)
    return _at_least(float(2 * stdtr(count - 1, -abs(difference) / error)) if error else 0.0, difference, count)


def _at_least(p: float, difference: float, problems: int) -> float:
    """Return p, never below the smallest p that swapping the answers of so many problems can give; 1 if both tie."""
    return 1.0 if difference == 0 else max(p, float(np.exp2(1.0 - min(problems, 1000))))


def p_of_areas(truth: BOOL, difference: float, one: F64, other: F64) -> float:
    """Return the two-sided p of DeLong's test of two AUCs, from their influences; NaN if undefined.

    Args:
        truth: shape (n,), True where both texts are by the same author.
        difference: of the two areas.
        one: shape (n,), the influence of each problem on the first area.
        other: shape (n,), on the second.
    """
    from scipy.special import ndtr

    apart = one - other
    if not np.isfinite(difference) or not np.isfinite(apart).all():
        return float("nan")
    variance = 0.0
    for side in (truth, ~truth):
        number = int(side.sum())
        if number < 2:
            return float("nan")
        variance += float(np.square(apart[side] * side.mean()).sum() / (number - 1) / number)
    return _at_least(float(2 * ndtr(-abs(difference) / np.sqrt(variance))) if variance else 0.0, difference, len(truth))
