"""Compute confidence intervals of means over queries by a bootstrap over authors.

Authors are resampled instead of queries, because an author's queries are similar. An author's multiplicity in a
replicate is Poisson with mean 1, from a hash of (seed, author, replicate) (Chamandy et al. 2012, "Estimating
uncertainty for massive data streams"). It does not depend on the other authors, so all slices of an evaluation share
replicates.
"""

from functools import lru_cache

import numpy as np

from authbench.core.arrays import F32, F64, U64
from authbench.core.identity import keyed_hash

REPLICATES = 1_000
_LEVEL = 0.95
_LIMITS = ((1 - _LEVEL) / 2, (1 + _LEVEL) / 2)
_STEPS = 1 << 28  # of a value, between two whole numbers
_BLOCKS = 10  # of replicates: memory is a tenth of all weights in float64
GOLDEN = 0x9E3779B97F4A7C15
_POISSON = np.cumsum([0.36787944117144233 / factorial for factorial in (1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880)])


@lru_cache(maxsize=1)
def author_weights(authors: tuple[str, ...], seed: int, replicates: int = REPLICATES) -> F32:
    """Return each author's multiplicity in each replicate, shape (replicates, authors), read-only.

    The last call's weights are cached, as models of an evaluation have the same authors.
    """
    keys = np.array([keyed_hash(seed, "bootstrap", author) for author in authors], np.uint64)
    weights = np.empty((replicates, len(authors)), np.float32)
    for replicate in range(replicates):
        step = np.uint64(replicate * GOLDEN % (1 << 64))
        chance = mixed(keys + step) >> np.uint64(11)
        weights[replicate] = np.searchsorted(_POISSON, chance / float(1 << 53), "right")
    weights.flags.writeable = False
    return weights


def interval(replicates: F32 | F64) -> tuple[float, float] | None:
    """Return the 2.5th and 97.5th percentiles of the finite values of replicates; None without any."""
    known = replicates[np.isfinite(replicates)]
    if not len(known):
        return None
    low, high = np.quantile(known, _LIMITS)
    return float(low), float(high)


def intervals(replicates: F32 | F64) -> list[tuple[float, float] | None]:
    """Return the `interval` of each column of replicates, shape (replicates, columns)."""
    if not np.isfinite(replicates).all():
        return [interval(column) for column in replicates.T]
    low, high = np.quantile(np.ascontiguousarray(replicates.T), _LIMITS, axis=1)
    return list(zip(low.tolist(), high.tolist(), strict=True))


def weighted_sums(weights: F32, values: F32 | F64) -> F64:
    """Return the sum of each replicate, shape (replicates, columns), with the same bits on every processor.

    BLAS adds in an order that depends on the processor. Values are rounded to multiples of 2**-28 and weights are whole
    numbers, so no sum below 2**25 is rounded, in any order.

    Args:
        weights: shape (replicates, authors), from `author_weights`.
        values: shape (authors, columns), finite.
    """
    exact = np.round(np.asarray(values, np.float64) * _STEPS) / _STEPS
    return np.concatenate([some.astype(np.float64) @ exact for some in np.array_split(weights, _BLOCKS)])


def weighted_means(weights: F32, sums: F32 | F64, counts: F32 | F64) -> F64:
    """Return the mean of each replicate, shape (replicates, columns).

    Args:
        weights: shape (replicates, authors), from `author_weights`.
        sums: shape (authors, columns), the sums of each author's values.
        counts: shape (authors, columns) or (authors, 1), the numbers of these values.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        return weighted_sums(weights, sums) / weighted_sums(weights, counts)


def mixed(keys: U64) -> U64:
    """Return MurmurHash3's 64-bit finaliser of each key, in the shape of `keys`."""
    keys = keys ^ (keys >> np.uint64(33))
    keys = keys * np.uint64(0xFF51AFD7ED558CCD)
    keys = keys ^ (keys >> np.uint64(33))
    keys = keys * np.uint64(0xC4CEB9FE1A85EC53)
    return keys ^ (keys >> np.uint64(33))
