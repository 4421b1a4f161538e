"""Select the least similar topics of a corpus.

HITS, section 4 of Sawatphol et al. 2024: start with the topic with the lowest mean similarity to all others. Then
repeatedly select the topic with the lowest mean x max similarity to the selected topics.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from authbench.core.arrays import F64
from authbench.core.errors import InputError

# The topics of an encoder in alphabetical order, and their vectors, shape (topics, dimensions).
Topics: TypeAlias = tuple[list[str], F64]
TIED = 1e-12  # scores within this distance are tied; the lower row is selected


def select_topics(vectors: F64, count: int) -> tuple[list[int], list[float]]:
    """Return the rows of `count` topics in order of selection, and their scores.

    `vectors` is topics x dimensions. The first score is the mean cosine similarity to all other topics; later scores
    are leakage scores (equation 3), products even of negative factors. A zero row has similarity 0 to all others.
    Memory is O(topics x dimensions), and time `count` times that. Raises InputError if there are fewer topics.
    """
    if not 1 <= count <= len(vectors):
        raise InputError(
            f"{count} topics are asked for, of {len(vectors)}. Expected a number from 1 to {len(vectors)}."
        )
    rows = unit_rows(vectors)
    scores = mean_similarity_to_others(rows)
    taken, scored = [_lowest(scores)], [float(scores.min())]
    total, most = np.zeros(len(rows)), np.full(len(rows), -np.inf)
    scored[0] = float(scores[taken[0]])
    for size in range(1, count):
        similar = rows @ rows[taken[-1]]
        total += similar
        most = np.maximum(most, similar)
        scores = total / size * most
        scores[taken] = np.inf
        taken.append(_lowest(scores))
        scored.append(float(scores[taken[-1]]))
    return taken, scored


def mean_similarity_to_others(rows: F64) -> F64:
    """Return the mean cosine similarity of each row, of length 1 (or 0), to all others; 0 for a single row."""
    if len(rows) == 1:
        return np.zeros(1)
    own = np.einsum("td,td->t", rows, rows)
    return np.asarray((rows @ rows.sum(axis=0) - own) / (len(rows) - 1))


def nearest(vectors: F64, taken: Sequence[int]) -> NDArray[np.int64]:
    """Return for each topic the index in `taken` of the most similar topic; for a selected topic, its index.

    `group` merges the unselected topics this way (section 7.2). Ties go to the topic selected first. `vectors` has the
    shape (topics, dimensions), and `taken` are rows of it.
    """
    rows = unit_rows(vectors)
    found: NDArray[np.int64] = np.argmax(rows @ rows[list(taken)].T, axis=1)
    found[list(taken)] = np.arange(len(taken))
    return found


def similarities(vectors: F64) -> F64:
    """Return the cosine similarities of all topics, (topics, topics), from vectors, (topics, dimensions)."""
    rows = unit_rows(vectors)
    return np.asarray(rows @ rows.T)


def unit_rows(vectors: F64) -> F64:
    """Return the rows, shape (n, dimensions), scaled to length 1; zero rows are unchanged.

    Raises:
        InputError: a value is not finite.
    """
    rows = np.asarray(vectors, np.float64)
    if not np.isfinite(rows).all():
        broken = np.flatnonzero(~np.isfinite(rows).all(axis=1))
        raise InputError(f"The vectors of {len(broken)} topics are not numbers (rows {broken[:5].tolist()}).")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0))


def _lowest(scores: F64) -> int:
    return int(np.flatnonzero(scores <= scores.min() + TIED)[0])
