"""Find the negatives of positives and of queries by compiled loops, in texts sorted by cell, source and length."""

from typing import NamedTuple

import numpy as np

from authbench.core.arrays import BOOL, F32, F64, I32, I64, U64
from authbench.core.runtime.jit import compiled

u64 = np.uint64
_KINDS = 27  # of texts, by the signs of their differences in similarity, the second similarity and length
_EQUAL = _KINDS // 2  # kind of the texts without a difference


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
        most: negatives of a positive.
    """

    equal: float
    most: int


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
def _kind(apart: float, second: float, nearer: float) -> int:
    """Return a text's kind by its differences from the positive in similarity, second similarity and length."""
    return int(_EQUAL + 9 * np.sign(apart) + 3 * np.sign(second) + np.sign(nearer))


@compiled
def _opposite(kind: int) -> int:
    """Return the kind of the texts whose differences have the opposite signs."""
    return _KINDS - 1 - kind


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
    """Write the negatives of each positive of a query: texts that equal it in every measure, then pairs of texts.

    The measures are the similarity to the query, a second one if there is one, and how near the length is to the
    query's. The texts of a pair differ from the positive with opposite signs in each measure, so by no measure is the
    positive above or below most of its negatives. Pairs with the smallest greater difference in similarity are first.

    Args:
        query: place of the query.
        positives: shape (n,), places.
        similarities: shape (n,), of the positives to the query.
        balanced: shape (n,), of the positives by the second similarity; not read without a second similarity.
        cell: similarities to the query.
        texts: of the split.
        limits: of the search.
        negatives: of each positive, in rows of `most`; written.
    """
    first, row, beside = cell
    lengths, logarithms, rank, found = texts.lengths, texts.logarithms, texts.rank, negatives.places
    equal, most = limits
    places = np.empty((_KINDS, most), np.int64)
    distances, turns = np.empty((_KINDS, most)), np.empty((_KINDS, most), np.uint64)
    filled, taken = np.empty(_KINDS, np.int64), np.empty(_KINDS, np.int64)
    for p in range(len(positives)):
        positive, similarity = positives[p], similarities[p]
        start, end, length = texts.starts[positive], texts.ends[positive], lengths[positive]
        low = start + np.searchsorted(lengths[start:end], (length + 1) // 2)
        high = start + np.searchsorted(lengths[start:end], 2 * length, side="right")
        filled[:], taken[:] = 0, 0
        own = abs(logarithms[positive] - logarithms[query])
        for place in range(low, high):
            value, second = row[place - first], np.float64(0)
            if len(beside):
                second = np.float64(beside[place - first] - balanced[p])
            if value != value or second != second:
                continue
            apart = np.float64(value - similarity)
            nearer = own - abs(logarithms[place] - logarithms[query])
            kind = _kind(apart, second, nearer if abs(nearer) >= equal else 0.0)
            distance = abs(apart)
            if distance == 0:
                distance = abs(second) if second else abs(logarithms[place] - logarithms[positive])
            turn = rank[place] - rank[positive]
            limit = most if kind == _EQUAL else most // 2
            filled[kind] = _keep(place, distance, turn, places[kind], distances[kind], turns[kind], filled[kind], limit)
        size = filled[_EQUAL]
        found[p, :size] = places[_EQUAL, :size]
        for _ in range((most - size) // 2):
            best, nearest = _EQUAL, np.inf
            for kind in range(_EQUAL - 1, -1, -1):
                at, opposite = taken[kind], _opposite(kind)  # from _EQUAL - 4 on, they are as similar as the positive
                if at < min(filled[kind], filled[opposite]):
                    further = max(distances[kind, at], distances[opposite, at]) if kind < _EQUAL - 4 else 0.0
                    if further < nearest:
                        best, nearest = kind, further
            if best == _EQUAL:
                break
            found[p, size], found[p, size + 1] = places[best, taken[best]], places[_opposite(best), taken[best]]
            taken[best] += 1
            size += 2
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
