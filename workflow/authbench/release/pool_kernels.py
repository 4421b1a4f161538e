"""Compiled loop that looks for the negatives of positives in `topic_matched`."""

import numpy as np

from authbench.arrays import F32, F64, I64, U64
from authbench.runtime.jit import compiled


@compiled
def _keep(
    place: int, distance: float, turn: np.uint64, places: I64, distances: F64, turns: U64, filled: int, most: int
) -> int:
    """Keep a place if it is among the `most` nearest so far, of equals of the lowest turn; return how many are kept."""
    if filled == most and (distance, turn) >= (distances[most - 1], turns[most - 1]):
        return filled
    at = filled if filled < most else most - 1
    while at > 0 and (distance, turn) < (distances[at - 1], turns[at - 1]):
        places[at], distances[at], turns[at] = places[at - 1], distances[at - 1], turns[at - 1]
        at -= 1
    places[at], distances[at], turns[at] = place, distance, turn
    return min(filled + 1, most)


@compiled
def find_topic_matched(
    query: int,
    positives: I64,
    similarities: F32,
    row: F32,
    first: int,
    starts: I64,
    ends: I64,
    lengths: I64,
    logarithms: F64,
    rank: U64,
    equal: float,
    most: int,
    each_side: int,
    found: I64,
    sizes: I64,
) -> None:
    """Write the negatives of each positive of a query: of its similarity to the query, then those nearest to it.

    Of the former up to `most`: of the positive's length first, in proportion, then as many nearer to the query's length
    as further from it. Of the latter as many of lower as of higher similarity, `each_side` less half of the former.

    Args:
        query: place of the query.
        positives: shape (n,), places.
        similarities: shape (n,), of the positives to the query.
        row: similarity of each text of the cell to the query; NaN: no negative.
        first: place of the cell's first text.
        starts: shape (texts,), the first place of a text's cell and source.
        ends: shape (texts,), the place after the last.
        lengths: shape (texts,), in tokens; within a cell and source in ascending order.
        logarithms: shape (texts,), of `lengths`.
        rank: shape (texts,), the order of texts of equal distance.
        equal: logarithms that differ by less are equal.
        most: of the same similarity.
        each_side: of another.
        found: shape (n, most + 2 * each_side); written from the front of each row.
        sizes: shape (n,), how many were written.
    """
    kinds = 5  # as long, nearer, further; less and more similar
    places = np.empty((kinds, most), np.int64)
    distances, turns = np.empty((kinds, most)), np.empty((kinds, most), np.uint64)
    filled, seen = np.empty(kinds, np.int64), np.empty(kinds, np.int64)
    for p in range(len(positives)):
        positive, similarity = positives[p], similarities[p]
        start, end, length = starts[positive], ends[positive], lengths[positive]
        low = start + np.searchsorted(lengths[start:end], (length + 1) // 2)
        high = start + np.searchsorted(lengths[start:end], 2 * length, side="right")
        filled[:], seen[:] = 0, 0
        own = abs(logarithms[positive] - logarithms[query])
        for place in range(low, high):
            value = row[place - first]
            if value == similarity:
                distance = abs(logarithms[place] - logarithms[positive])
                beyond = abs(logarithms[place] - logarithms[query]) - own
                kind = 0 if abs(beyond) < equal else 1 if beyond < 0 else 2
            elif value < similarity:
                distance, kind = np.float64(similarity - value), 3
            elif value > similarity:
                distance, kind = np.float64(value - similarity), 4
            else:
                continue
            seen[kind] += 1
            limit = most if kind < 3 else each_side
            turn = rank[place] - rank[positive]
            filled[kind] = _keep(place, distance, turn, places[kind], distances[kind], turns[kind], filled[kind], limit)
        size = 0
        for k in range(filled[0]):
            found[p, size], size = places[0, k], size + 1
        each = min((most - size) // 2, seen[1], seen[2])
        for kind in (1, 2):
            for k in range(each):
                found[p, size], size = places[kind, k], size + 1
        each = min(each_side - (size + 1) // 2, seen[3], seen[4])
        for kind in (3, 4):
            for k in range(each):
                found[p, size], size = places[kind, k], size + 1
        sizes[p] = size
