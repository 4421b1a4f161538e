"""Find the negatives of positives and of queries by compiled loops, in texts sorted by cell, source and length."""

from typing import NamedTuple

import numpy as np

from authbench.core.arrays import BOOL, F32, F64, I32, I64, U64
from authbench.core.runtime.jit import compiled

u64 = np.uint64


class Places(NamedTuple):
    """Texts sorted by cell, source and length, by their place.

    Attributes:
        starts: shape (texts,), the first place of a text's cell and source.
        ends: shape (texts,), the place after the last.
        lengths: shape (texts,), in tokens; ascending within a cell and source.
        logarithms: shape (texts,), of `lengths`.
        rank: shape (texts,), the order of texts at equal distance.
        author: shape (texts,).
        excluded: for each author in turn, the places that no negative of the author may have.
        excluded_ends: shape (authors + 1,); author a has `excluded[excluded_ends[a]:excluded_ends[a + 1]]`.
    """

    starts: I64
    ends: I64
    lengths: I64
    logarithms: F64
    rank: U64
    author: I64
    excluded: I64
    excluded_ends: I64


class Asked(NamedTuple):
    """Queries and their positives.

    Attributes:
        queries: shape (queries,), places.
        pair_ends: shape (queries + 1,); the positives of query q are `positives[pair_ends[q]:pair_ends[q + 1]]`.
        positives: shape (n,), places.
        asks: shape (queries,), whether the most similar negatives are wanted.
    """

    queries: I64
    pair_ends: I64
    positives: I64
    asks: BOOL


class Similarities(NamedTuple):
    """Similarities of the texts of a cell to a query, or to each of several queries.

    Attributes:
        first: place of the cell's first text.
        similar: shape (texts of the cell,) or (queries, texts of the cell); NaN: not a negative.
        beside: likewise a second similarity, or of no columns.
    """

    first: int
    similar: F32
    beside: F32


class Limits(NamedTuple):
    """Bounds of the search.

    Attributes:
        equal: logarithms that differ by less are equal.
        most: negatives of the same similarity.
        each_side: negatives of lower, and of higher, similarity.
    """

    equal: float
    most: int
    each_side: int


class Negatives(NamedTuple):
    """Places of negatives, written from the front of each row, shape (n, most of a row), and their number, (n,)."""

    places: I32 | I64
    sizes: I64


@compiled
def _take(
    place: int, cell: tuple[int, int], lengths: I64, turn: np.uint64, barred: BOOL, taken: I64, filled: int, most: int
) -> tuple[int, int, int]:
    """Take texts of a cell (start, end) with the length of the text at a place, in turn, until `most` are taken.

    Return the number taken, and where texts of that length begin and end.
    """
    start, end = cell
    low = start + np.searchsorted(lengths[start:end], lengths[place])
    high = start + np.searchsorted(lengths[start:end], lengths[place], side="right")
    first = np.int64(turn % u64(high - low))
    for k in range(high - low):
        one = low + (first + k) % (high - low)
        if filled < most and not barred[one]:
            taken[filled] = one
            filled += 1
    return filled, low, high


@compiled
def _excluded(texts: Places, place: int) -> I64:
    """Return the places that no negative of a text's author may have."""
    author = texts.author[place]
    return texts.excluded[texts.excluded_ends[author] : texts.excluded_ends[author + 1]]


@compiled
def find_matched(queries: I64, positives: I64, texts: Places, most: int, negatives: Negatives) -> None:
    """Write the negatives in `matched`: texts of the positive's length, then equal numbers of shorter and longer texts.

    Negatives are the nearest in length and differ by at most a half. Negatives whose length lies on the query's side of
    the positive's are proportionally nearer to the query than the positive is; without them, a scorer by length would
    be right wherever a query and its positive are nearer to each other than to any text.

    Args:
        queries: shape (n,), places.
        positives: shape (n,), places; equal positives are adjacent.
        texts: of the split.
        most: negatives of a positive.
        negatives: of each positive; written.
    """
    lengths, found = texts.lengths, negatives.places
    barred = np.zeros(len(lengths), np.bool_)
    equal, shorter, longer = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    n_equal, n_shorter, n_longer = 0, 0, 0
    for p in range(len(positives)):
        positive, length, asked = positives[p], lengths[positives[p]], lengths[queries[p]]
        if p == 0 or positive != positives[p - 1]:
            own = _excluded(texts, positive)
            for place in own:
                barred[place] = True
            start, end, turn = texts.starts[positive], texts.ends[positive], texts.rank[positive]
            n_equal, low, high = _take(positive, (start, end), lengths, turn, barred, equal, 0, most)
            each, n_shorter, n_longer = (most - n_equal) // 2, 0, 0
            while n_shorter < each and low > start and 3 * lengths[low - 1] >= 2 * length:
                n_shorter, low, _ = _take(low - 1, (start, end), lengths, turn, barred, shorter, n_shorter, each)
            while n_longer < each and high < end and 2 * lengths[high] <= 3 * length:
                n_longer, _, high = _take(high, (start, end), lengths, turn, barred, longer, n_longer, each)
            for place in own:
                barred[place] = False
        size, pairs = n_equal, 0
        for k in range(n_equal):
            found[p, k] = equal[k]
        before, beyond, n_before, n_beyond = shorter, longer, n_shorter, n_longer
        if asked > length:
            before, beyond, n_before, n_beyond = longer, shorter, n_longer, n_shorter
        for k in range(n_before if asked != length else 0):
            # proportionally nearer: between the lengths of query and positive, or beyond the query's by less
            product = lengths[before[k]] * length
            if pairs < n_beyond and product != asked**2 and (product > asked**2) == (asked < length):
                found[p, size], found[p, size + 1] = before[k], beyond[pairs]
                size, pairs = size + 2, pairs + 1
        negatives.sizes[p] = size


@compiled
def _keep(
    place: int, distance: float, turn: np.uint64, places: I64, distances: F64, turns: U64, filled: int, most: int
) -> int:
    """Keep a place if it is among the `most` nearest so far, ties by lowest turn; return the number kept."""
    if filled == most and (distance, turn) >= (distances[most - 1], turns[most - 1]):
        return filled
    at = filled if filled < most else most - 1
    while at > 0 and (distance, turn) < (distances[at - 1], turns[at - 1]):
        places[at], distances[at], turns[at] = places[at - 1], distances[at - 1], turns[at - 1]
        at -= 1
    places[at], distances[at], turns[at] = place, distance, turn
    return min(filled + 1, most)


@compiled
def find_near(
    query: int,
    positives: I64,
    similarities: F32,
    balanced: F32,
    cell: Similarities,
    texts: Places,
    limits: Limits,
    negatives: Negatives,
) -> None:
    """Write the negatives of each positive of a query: first as similar to the query, then the nearest in similarity.

    Up to `most` are as similar: first those proportionally as long as the positive, then equal numbers nearer to and
    further from the query's length. The others are equal numbers of lower and higher similarity, `each_side` less half
    of the first kind. With a second similarity, texts with the same sign of difference in both similarities are as many
    as texts of the opposite signs, and so equal numbers are lower and higher in either.

    Args:
        query: place of the query.
        positives: shape (n,), places.
        similarities: shape (n,), of the positives to the query.
        balanced: shape (n,), of the positives by the second similarity; not read without a second similarity.
        cell: similarities to the query.
        texts: of the split.
        limits: of the search.
        negatives: of each positive, in rows of `most + 2 * each_side`; written.
    """
    first, row, beside = cell
    lengths, logarithms, rank, found = texts.lengths, texts.logarithms, texts.rank, negatives.places
    equal, most, each_side = limits
    # As similar: of equal length, nearer, further. Then pairs of opposite signs of difference: (first, second) is
    # (-, 0) and (+, 0), (0, -) and (0, +), (-, -) and (+, +), (-, +) and (+, -).
    kinds = 11
    places = np.empty((kinds, most), np.int64)
    distances, turns = np.empty((kinds, most)), np.empty((kinds, most), np.uint64)
    filled, seen = np.empty(kinds, np.int64), np.empty(kinds, np.int64)
    for p in range(len(positives)):
        positive, similarity = positives[p], similarities[p]
        start, end, length = texts.starts[positive], texts.ends[positive], lengths[positive]
        low = start + np.searchsorted(lengths[start:end], (length + 1) // 2)
        high = start + np.searchsorted(lengths[start:end], 2 * length, side="right")
        filled[:], seen[:] = 0, 0
        own = abs(logarithms[positive] - logarithms[query])
        for place in range(low, high):
            value, second = row[place - first], np.float32(0)
            if len(beside):
                if np.isnan(beside[place - first]):
                    continue
                second = beside[place - first] - balanced[p]
            if value == similarity and second == 0:
                distance = abs(logarithms[place] - logarithms[positive])
                beyond = abs(logarithms[place] - logarithms[query]) - own
                kind = 0 if abs(beyond) < equal else 1 if beyond < 0 else 2
            elif value == similarity:
                distance, kind = abs(np.float64(second)), 5 if second < 0 else 6
            elif value < similarity:
                distance, kind = np.float64(similarity - value), 3 if second == 0 else 7 if second < 0 else 9
            elif value > similarity:
                distance, kind = np.float64(value - similarity), 4 if second == 0 else 8 if second > 0 else 10
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
        left = each_side - (size + 1) // 2
        for kind in (3, 5, 7, 9):
            each = max(0, min(left, seen[kind], seen[kind + 1]))
            left -= each
            for k in range(each):
                found[p, size], size = places[kind, k], size + 1
            for k in range(each):
                found[p, size], size = places[kind + 1, k], size + 1
        negatives.sizes[p] = size


@compiled
def find_by_similarity(
    cell: Similarities, asked: Asked, texts: Places, limits: Limits, negatives: Negatives, hardest: Negatives
) -> None:
    """Write negatives of positives by similarity to the query (`find_near`), and the most similar of queries.

    Args:
        cell: similarities to each query; `similar` is modified: NaN if a text is not a negative.
        asked: the queries and positives.
        texts, limits, negatives: as in `find_near`.
        hardest: the most similar negatives of each query; written.
    """
    topical, first, rank = hardest.places.shape[1], cell.first, texts.rank
    distances, turns = np.empty(topical), np.empty(topical, np.uint64)
    for q in range(len(asked.queries)):
        query, row = asked.queries[q], cell.similar[q]
        own = slice(asked.pair_ends[q], asked.pair_ends[q + 1])
        positives = asked.positives[own]
        similarities = row[positives - first]
        for place in _excluded(texts, query):
            if 0 <= place - first < len(row):
                row[place - first] = np.nan
        second = cell.beside[q]
        balanced = second[positives - first] if len(second) else similarities
        of_query, written = Similarities(first, row, second), Negatives(negatives.places[own], negatives.sizes[own])
        find_near(query, positives, similarities, balanced, of_query, texts, limits, written)
        filled = 0
        for place in range(first, first + len(row) if asked.asks[q] else first):
            value = row[place - first]
            if value == value:
                turn = rank[place] - rank[query]
                filled = _keep(place, -np.float64(value), turn, hardest.places[q], distances, turns, filled, topical)
        hardest.sizes[q] = filled
