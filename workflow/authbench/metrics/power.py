"""Compute the smallest difference of two systems that a test can detect.

A paired difference is a mean over authors. After Holm's correction over `tests` tests, a two-sided test at level LEVEL
detects it with probability POWER if it is at least

    (z(1 - LEVEL / (2 tests)) + z(POWER)) s / sqrt(n)

where s is the standard deviation over the n authors and z the normal quantile (Cohen 1988, chapter 2; Holm's first step
divides the level by the number of tests). For a mean over L languages, the standard errors s_l / sqrt(n_l) combine to
sqrt(sum of their squares) / L.
"""

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from authbench.arrays import F64

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
