"""Score by late interaction: the mean over a query's tokens of their best cosine with a candidate's.

Source: Khattab and Zaharia 2020 (ColBERT). Cosines and their mean are summed in float64 and then rounded, so scores do
not depend on the number of threads of the linear algebra.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from authbench.models.model import Scorer

F16: TypeAlias = NDArray[np.float16]
MOST_TOKENS = 1 << 20  # of the candidates, each a vector of 16-bit numbers
TOKENS_AT_ONCE = 1 << 14  # of the candidates, compared with a query


def late_scorer(queries: Sequence[F16], candidates: Sequence[F16]) -> Scorer:
    """Return a scorer of queries with all candidates.

    Args:
        queries: the L2-normalised vectors of each query's tokens, shape (tokens, dimensions).
        candidates: likewise.
    """
    groups = _token_groups([len(tokens) for tokens in candidates])

    def score(first: int, last: int) -> np.ndarray:
        scores = np.zeros((last - first, len(candidates)), np.float32)
        for low, high in groups:
            tokens = np.concatenate(candidates[low:high]).astype(np.float64).T
            starts = np.cumsum([0, *map(len, candidates[low : high - 1])])
            for row, query in enumerate(queries[first:last]):
                best = np.maximum.reduceat(query.astype(np.float64) @ tokens, starts, axis=1)
                scores[row, low:high] = best.mean(axis=0)
        return scores

    return score


def _token_groups(lengths: Sequence[int]) -> list[tuple[int, int]]:
    """Return consecutive texts [low, high) of at most TOKENS_AT_ONCE tokens, or a single longer text."""
    groups, low, tokens = [], 0, 0
    for text, length in enumerate(lengths):
        if tokens and tokens + length > TOKENS_AT_ONCE:
            groups.append((low, text))
            low, tokens = text, 0
        tokens += length
    return [*groups, (low, len(lengths))]
