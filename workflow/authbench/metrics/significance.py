"""Is one system truly better than another?

Approximate randomisation (Noreen 1989; overview of PAN 2021): under the null hypothesis it does not matter which of
two systems an answer came from, so the two are swapped query by query at random and the difference is looked at again.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from authbench.arrays import F64
from authbench.identity import keyed_hash
from authbench.metrics.bootstrap import GOLDEN, mixed

ROUNDS = 10_000
ROUNDS_AT_ONCE = 1_024


def p_of_means(differences: F64, queries: Sequence[str], seed: int, rounds: int = ROUNDS) -> F64:
    """Two-sided p that the mean of each row is zero, for paired differences (pairs of systems x queries).

    Whether a query is swapped in a round is a bit of the hash of (seed, query, round), the same for all pairs. With
    the observed difference among the rounds, p is never 0: (1 + rounds at least as far) / (1 + rounds).
    """
    keys = np.array([keyed_hash(seed, "randomisation", query) for query in queries], np.uint64)
    observed = np.abs(differences.sum(axis=1))
    least = observed - 1e-9 * np.maximum(1.0, np.abs(differences).sum(axis=1))
    as_far = np.zeros(len(differences), np.int64)
    for first in range(0, rounds, ROUNDS_AT_ONCE):
        signs = drawn_signs(keys, first, min(ROUNDS_AT_ONCE, rounds - first))
        as_far += (np.abs(signs @ differences.T) >= least).sum(axis=0)
    return (as_far + 1) / (rounds + 1)


def drawn_signs(keys: NDArray[np.uint64], first: int, rounds: int) -> F64:
    """1 or -1 for each round from `first` (a multiple of 64) and each key (rounds x keys)."""
    words = [mixed(keys + np.uint64((first // 64 + word) * GOLDEN % (1 << 64))) for word in range(-(-rounds // 64))]
    bits = np.unpackbits(
        np.stack(words).astype("<u8").view(np.uint8).reshape(len(words), len(keys), 8), axis=2, bitorder="little"
    )
    drawn = bits.transpose(0, 2, 1).reshape(-1, len(keys))[:rounds]
    signs: F64 = drawn.astype(np.float64) * 2.0 - 1.0
    return signs


def holm(p_values: F64) -> F64:
    """Holm's step-down correction of a family of p values, in their order; at most 1."""
    order = np.argsort(p_values, kind="stable")
    scaled = np.maximum.accumulate(p_values[order] * np.arange(len(p_values), 0, -1))
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(scaled, 1.0)
    return corrected
