"""Confidence intervals of means over queries, by a bootstrap over authors.

Authors are drawn anew, not queries, as the queries of one author are alike. How often a replicate holds an author is
Poisson with mean 1, by a hash of (seed, author, replicate) (Chamandy et al. 2012, "Estimating uncertainty for massive
data streams"): no author's draws depend on which others there are, so that every slice of one evaluation has the same
replicates.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from authbench.arrays import F32, F64, U64
from authbench.identity import keyed_hash

REPLICATES = 1_000
_LEVEL = 0.95
_LIMITS = ((1 - _LEVEL) / 2, (1 + _LEVEL) / 2)
GOLDEN = 0x9E3779B97F4A7C15
_POISSON = np.cumsum([0.36787944117144233 / factorial for factorial in (1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880)])


def author_weights(authors: Sequence[str], seed: int, replicates: int = REPLICATES) -> F32:
    """Return how often each replicate holds each author, shape (replicates, authors); not to be written to.

    Those of the last authors are kept: models of one evaluation are scored by the same.
    """
    return _author_weights(tuple(authors), seed, replicates)


@lru_cache(maxsize=1)
def _author_weights(authors: tuple[str, ...], seed: int, replicates: int) -> F32:
    keys = np.array([keyed_hash(seed, "bootstrap", author) for author in authors], np.uint64)
    weights = np.empty((replicates, len(authors)), np.float32)
    for replicate in range(replicates):
        step = np.uint64(replicate * GOLDEN % (1 << 64))
        chance = mixed(keys + step) >> np.uint64(11)
        weights[replicate] = np.searchsorted(_POISSON, chance / float(1 << 53), "right")
    weights.flags.writeable = False
    return weights


def interval(replicates: F32 | F64) -> tuple[float, float] | None:
    """Return the 95 % interval of the values of replicates; None where none of them is a finite number.

    Args:
        replicates: shape (r,); values that are not finite are left out.

    Returns:
        The 2.5th and 97.5th percentiles.
    """
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


def weighted_means(weights: F32, sums: F32, counts: F32) -> F32:
    """Return the mean of each replicate, shape (replicates, columns).

    Args:
        weights: shape (replicates, authors), as of `author_weights`.
        sums: shape (authors, columns), the sums of each author's values.
        counts: shape (authors, columns) or (authors, 1), how many values these are.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        return (weights @ sums) / (weights @ counts)


def mixed(keys: U64) -> U64:
    """Return MurmurHash3's 64-bit finaliser of each key, in the shape of `keys`."""
    keys = keys ^ (keys >> np.uint64(33))
    keys = keys * np.uint64(0xFF51AFD7ED558CCD)
    keys = keys ^ (keys >> np.uint64(33))
    keys = keys * np.uint64(0xC4CEB9FE1A85EC53)
    return keys ^ (keys >> np.uint64(33))
