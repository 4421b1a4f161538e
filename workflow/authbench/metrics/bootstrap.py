"""How sure is a mean over queries, when the queries of one author are alike?

Authors are drawn anew, not queries. How often a replicate holds an author is Poisson with mean 1, by a hash of
(seed, author, replicate) (Chamandy et al. 2012, "Estimating uncertainty for massive data streams"): no author's
draws depend on which others there are, so that every slice of one evaluation has the same replicates.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from authbench.arrays import F64, U64
from authbench.identity import keyed_hash

F32: TypeAlias = NDArray[np.float32]
REPLICATES = 1_000
GOLDEN = 0x9E3779B97F4A7C15
POISSON = np.cumsum([0.36787944117144233 / factorial for factorial in (1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880)])


def author_weights(authors: list[str], seed: int, replicates: int = REPLICATES) -> F32:
    """How often each replicate holds each author (replicates x authors)."""
    keys = np.array([keyed_hash(seed, "bootstrap", author) for author in authors], np.uint64)
    weights = np.empty((replicates, len(authors)), np.float32)
    for replicate in range(replicates):
        step = np.uint64(replicate * GOLDEN % (1 << 64))
        chance = mixed(keys + step) >> np.uint64(11)
        weights[replicate] = np.searchsorted(POISSON, chance / float(1 << 53), "right")
    return weights


def interval(replicates: F32 | F64, level: float = 0.95) -> tuple[float, float] | None:
    """The percentile interval of what the replicates gave; None where none of them gave a number."""
    known = replicates[np.isfinite(replicates)]
    if not len(known):
        return None
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def means(weights: F32, sums: F32, counts: F32) -> F32:
    """The weighted mean of each replicate, of values whose sums and counts are given by author (authors x columns)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return (weights @ sums) / (weights @ counts)


def mixed(keys: U64) -> U64:
    """MurmurHash3's 64-bit finaliser."""
    keys = keys ^ (keys >> np.uint64(33))
    keys = keys * np.uint64(0xFF51AFD7ED558CCD)
    keys = keys ^ (keys >> np.uint64(33))
    keys = keys * np.uint64(0xC4CEB9FE1A85EC53)
    return keys ^ (keys >> np.uint64(33))
