"""Test whether two systems differ by more than chance, and compute the smallest difference that a test detects.

Paired answers: approximate randomisation (Noreen 1989). Under the null hypothesis, the two systems' answers to a query
are exchangeable, so they are swapped at random and the difference is recomputed. The observed difference counts as a
round, so p is never 0: (1 + rounds at least as far) / (1 + rounds).

Unpaired scores: Student's t-test.

A paired difference is a mean over authors. After Holm's correction over `tests` tests, a two-sided test at level LEVEL
detects it with probability POWER if it is at least

    (z(1 - LEVEL / (2 tests)) + z(POWER)) s / sqrt(n)

where s is the standard deviation over the n authors and z the normal quantile (Cohen 1988, chapter 2; Holm's first step
divides the level by the number of tests). For a mean over L languages, the standard errors s_l / sqrt(n_l) combine to
sqrt(sum of their squares) / L.
"""

import warnings
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from authbench.core.arrays import F64, U64
from authbench.core.identity import keyed_hash
from authbench.scoring.metrics.bootstrap import GOLDEN, mixed

LEVEL = 0.05
POWER = 0.8


def standard_error(differences: F64) -> float:
    """Return the standard error of the mean of differences, shape (authors,); NaN for fewer than two."""
    if len(differences) < 2:
        return float("nan")
    return float(np.std(differences, ddof=1) / np.sqrt(len(differences)))


def standard_error_of_mean(errors: Sequence[float]) -> float:
    """Return the standard error of the mean of independent values with these standard errors; NaN if empty."""
    return float(np.sqrt(np.sum(np.square(errors))) / len(errors)) if len(errors) else float("nan")


def smallest_difference(error: float, tests: int) -> float:
    """Return the smallest detectable difference, given its standard error and the number of corrected tests.

    >>> round(smallest_difference(0.01, 1), 4)
    0.028
    """
    normal = NormalDist()
    return error * (normal.inv_cdf(1 - LEVEL / (2 * tests)) + normal.inv_cdf(POWER))


ROUNDS = 10_000
_ROUNDS_AT_ONCE = 1_024


def p_of_paired_means(differences: F64, queries: Sequence[str], seed: int, rounds: int = ROUNDS) -> F64:
    """Return for each row of differences the two-sided p that its mean is zero, shape (pairs of systems,).

    Whether a query is swapped in a round is a bit of the hash of (seed, query, round), the same for all pairs.

    Args:
        differences: shape (pairs of systems, queries), the first system's value minus the second's.
        queries: the identity of each column.
        seed: of the hash.
        rounds: number of random swaps.
    """
    keys = np.array([keyed_hash(seed, "randomisation", query) for query in queries], np.uint64)
    observed = np.abs(differences.sum(axis=1))
    least = observed - 1e-9 * np.maximum(1.0, np.abs(differences).sum(axis=1))
    as_far = np.zeros(len(differences), np.int64)
    for first in range(0, rounds, _ROUNDS_AT_ONCE):
        signs = _drawn_signs(keys, first, min(_ROUNDS_AT_ONCE, rounds - first))
        as_far += (np.abs(signs @ differences.T) >= least).sum(axis=0)
    return (as_far + 1) / (rounds + 1)


def _drawn_signs(keys: U64, first: int, rounds: int) -> F64:
    """Return 1 or -1 for each round from `first` (a multiple of 64) and each key, shape (rounds, keys)."""
    words = [mixed(keys + np.uint64((first // 64 + word) * GOLDEN % (1 << 64))) for word in range(-(-rounds // 64))]
    bits = np.unpackbits(
        np.stack(words).astype("<u8").view(np.uint8).reshape(len(words), len(keys), 8), axis=2, bitorder="little"
    )
    drawn = bits.transpose(0, 2, 1).reshape(64 * len(words), len(keys))[:rounds]
    signs = drawn.astype(np.float64)
    signs *= 2.0
    signs -= 1.0
    return signs


def p_of_unpaired_means(one: F64, other: F64) -> float:
    """Return the two-sided p of Student's t-test for two independent samples, shapes (n,) and (m,).

    NaN in a sample are left out; NaN if it has fewer than two numbers. Constant samples have p = 1 if they are equal,
    else 0.
    """
    from scipy.stats import ttest_ind

    one, other = one[~np.isnan(one)], other[~np.isnan(other)]
    if min(len(one), len(other)) < 2:
        return float("nan")
    if not np.ptp(one) and not np.ptp(other):
        return 1.0 if one[0] == other[0] else 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # nearly constant samples
        return float(ttest_ind(one, other).pvalue)


def p_of_fold_means(one: F64, other: F64, folds: int) -> float:
    """Return the two-sided p of the corrected t-test for two means over folds of cross-validations.

    Folds of a cross-validation share most of their training texts, so their scores are not independent. The variance of
    a mean is therefore increased by tested / learnt = 1 / (folds - 1), divided by the number of cross-validations. NaN
    and constant samples are treated as by `p_of_unpaired_means`.

    Source: Nadeau and Bengio 2003, "Inference for the generalization error"; Bouckaert and Frank 2004 (repeated).

    Args:
        one: shape (folds x cross-validations,), scores of the folds, cross-validation by cross-validation.
        other: likewise, on other data.
        folds: of a cross-validation.
    """
    from scipy.special import stdtr

    runs = [len(scores) / folds for scores in (one, other)]
    samples = [scores[~np.isnan(scores)] for scores in (one, other)]
    if min(map(len, samples)) < 2:
        return float("nan")
    difference = samples[0].mean() - samples[1].mean()
    if not any(np.ptp(sample) for sample in samples):
        return 1.0 if difference == 0 else 0.0
    freedom = sum(map(len, samples)) - 2
    pooled = sum(float(((sample - sample.mean()) ** 2).sum()) for sample in samples) / freedom
    weight = sum(1 / len(sample) + 1 / (folds - 1) / several for sample, several in zip(samples, runs, strict=True))
    return float(2 * stdtr(freedom, -abs(difference) / np.sqrt(pooled * weight)))


def holm(p_values: F64) -> F64:
    """Return Holm's step-down correction of a family of p values, shape (n,), in their order; at most 1."""
    order = np.argsort(p_values, kind="stable")
    scaled = np.maximum.accumulate(p_values[order] * np.arange(len(p_values), 0, -1))
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(scaled, 1.0)
    return corrected
