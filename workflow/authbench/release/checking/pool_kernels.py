"""Compiled loops that check the negatives of each positive and query of pairs.parquet.

Texts are rows sorted by language, primary genre, source and length, so the texts of a kind are adjacent, and so are the
texts of a cell (a language and primary genre). The negatives of a group are `negatives[start:end]`; without a group
both are -1. A problem is a number; 0 means that there is none.
"""

from typing import NamedTuple

import numpy as np

from authbench.core.arrays import BOOL, F32, F64, I32, I64
from authbench.core.runtime.jit import compiled

NO_GROUP, UNASKED, STRANGE, UNBALANCED, MISCOUNTED, FARTHER, NOT_LEAST = range(1, 8)
WORDS = {
    NO_GROUP: "no group",
    UNASKED: "a group, and too few texts may be in one",
    STRANGE: "a negative of another language, source, genre or length, or by the author",
    UNBALANCED: "not as many negatives on one side of the positive as on the other",
    MISCOUNTED: "fewer or more negatives than are asked for",
    FARTHER: "nearer negatives are left out",
    NOT_LEAST: "not the least topical positive",
}


class Texts(NamedTuple):
    """Texts by row.

    Attributes:
        tokens: shape (texts,).
        fits: shape (texts,), whether a text may be positive or negative.
        kind_starts, kind_ends: shape (texts,), the rows of a text's kind.
        author: shape (texts,).
        excluded_starts, excluded: `excluded[excluded_starts[a]:excluded_starts[a + 1]]` may not be negatives of author
            a.
    """

    tokens: I64
    fits: BOOL
    kind_starts: I64
    kind_ends: I64
    author: I64
    excluded_starts: I32
    excluded: I32


class Groups(NamedTuple):
    """The group of each pair or query: group i is `negatives[starts[i]:ends[i]]`, which are rows."""

    starts: I64
    ends: I64
    negatives: I32


class Similarities(NamedTuple):
    """Similarities of queries to the texts of a cell.

    Attributes:
        first: row of the cell's first text.
        similar: shape (queries, texts of the cell); NaN: not a negative of the query.
        beside: likewise the second similarity, or of no columns.
    """

    first: int
    similar: F32
    beside: F32


class Pairs(NamedTuple):
    """Pairs of a query and a positive in the cell.

    Attributes:
        queries: shape (pairs,), rows of `Similarities.similar`.
        asked: shape (pairs,), tokens of the query.
        positives: shape (pairs,).
        similarity, similarity_beside: shape (pairs,), of query and positive.
    """

    queries: I64
    asked: I64
    positives: I64
    similarity: F64
    similarity_beside: F64


@compiled
def _same_values(some: I64, others: I64) -> bool:
    """Return whether each value occurs as often in both."""
    if len(some) != len(others):
        return False
    for value in some:
        more = 0
        for k in range(len(some)):
            more += (some[k] == value) - (others[k] == value)
        if more != 0:
            return False
    return True


@compiled
def check_lengths(
    asked: I64, positives: I64, groups: Groups, texts: Texts, least: int, most: int, problems: I64
) -> None:
    """Write what is wrong with the lengths of the negatives of positives in `matched`.

    Texts of the positive's length are preferred, then the nearest shorter and longer ones. Apart from texts of its
    length, as many must be nearer to the query's length in proportion as are further from it.

    Args:
        asked: shape (pairs,), tokens of the query.
        positives: shape (pairs,).
        groups: of the pairs.
        texts: of the split.
        least, most: negatives of a positive.
        problems: shape (pairs,); written.
    """
    starts, ends, negatives = groups
    tokens, fits, kind_starts, kind_ends, author, excluded_starts, excluded = texts
    excluded_for = np.full(len(tokens), -1, np.int64)
    shorter, longer = np.empty(most, np.int64), np.empty(most, np.int64)
    last = -1
    for i in range(len(positives)):
        own, begin, end = tokens[positives[i]], kind_starts[positives[i]], kind_ends[positives[i]]
        if author[positives[i]] != last:
            last = author[positives[i]]
            for k in range(excluded_starts[last], excluded_starts[last + 1]):
                excluded_for[excluded[k]] = last
        equal, n_shorter, n_longer = 0, 0, 0
        if fits[positives[i]]:
            low = begin + np.searchsorted(tokens[begin:end], own)
            high = begin + np.searchsorted(tokens[begin:end], own, "right")
            for at in range(low, high):
                equal += fits[at] and excluded_for[at] != last
            equal = min(equal, most)
            each = (most - equal) // 2
            at = low - 1
            while at >= begin and n_shorter < each and 3 * tokens[at] >= 2 * own:
                if fits[at] and excluded_for[at] != last:
                    shorter[n_shorter] = tokens[at]
                    n_shorter += 1
                at -= 1
            at = high
            while at < end and n_longer < each and 2 * tokens[at] <= 3 * own:
                if fits[at] and excluded_for[at] != last:
                    longer[n_longer] = tokens[at]
                    n_longer += 1
                at += 1
        before, beyond, n_before, n_beyond = shorter, longer, n_shorter, n_longer
        if asked[i] > own:
            before, beyond, n_before, n_beyond = longer, shorter, n_longer, n_shorter
        nearer = 0
        for k in range(n_before):
            product = before[k] * own
            if asked[i] ** 2 < product < own**2 or own**2 < product < asked[i] ** 2:
                before[nearer] = before[k]
                nearer += 1
        each = 0 if asked[i] == own else min(nearer, n_beyond)
        wanted = np.concatenate((np.full(equal, own, np.int64), before[:each], beyond[:each]))
        there = tokens[negatives[starts[i] : ends[i]]]
        problems[i] = 0
        if len(wanted) < least:
            problems[i] = UNASKED if starts[i] >= 0 else 0
        elif starts[i] < 0:
            problems[i] = NO_GROUP
        elif not _same_values(there, wanted):
            problems[i] = FARTHER
        for k in range(starts[i], ends[i]):
            if not begin <= negatives[k] < end:
                problems[i] = STRANGE


@compiled
def _sign(value: float, own: float, close: float) -> int:
    """Return the sign of a text's difference from the positive; 0 where it may be chance."""
    return 0 if abs(value - own) <= close else 1 if value > own else -1


@compiled
def _in_doubt(value: float, own: float, close: float) -> bool:
    """Return whether rounding decides the sign of a difference; without common words both similarities are 0."""
    return close > 0 and abs(value - own) <= close and (value != 0 or own != 0)


@compiled
def check_near(
    cell: Similarities,
    pairs: Pairs,
    groups: Groups,
    texts: Texts,
    close: tuple[float, float],
    lengths: bool,
    most: int,
    problems: I64,
) -> None:
    """Write what is wrong with the similarities, of topic or date, of the negatives of positives.

    Texts are of 27 kinds, by the signs of their differences from the positive in similarity, in the second similarity
    and in length. Kinds of opposite signs have equal numbers of negatives, and these are the nearest of their kind.

    Args:
        cell, pairs: of the pool.
        groups: of the pairs.
        texts: of the split.
        close: similarities, and second ones, that differ by less may be equal; 0: they are exact.
        lengths: whether the lengths of all negatives are balanced, or only of texts as similar as the positive.
        most: negatives of a positive.
        problems: shape (pairs,); written.
    """
    first, similar, beside = cell
    queries, asked, positives, similarity, similarity_beside = pairs
    starts, ends, negatives = groups
    tokens, kind_starts, kind_ends = texts.tokens, texts.kind_starts, texts.kind_ends
    taken, around, nearer = np.empty(27, np.int64), np.empty(27, np.int64), np.empty(27, np.int64)
    furthest = np.empty(27)
    for i in range(len(positives)):
        row, own, length = similar[queries[i]], similarity[i], tokens[positives[i]]
        second, two = beside[queries[i]], beside.shape[1] > 0
        begin, end = kind_starts[positives[i]], kind_ends[positives[i]]
        if np.isnan(own) or (two and np.isnan(similarity_beside[i])):
            problems[i] = UNASKED if starts[i] >= 0 else 0
            continue
        problems[i], there = 0, ends[i] - starts[i]
        taken[:], around[:], nearer[:], furthest[:] = 0, 0, 0, 0.0
        unsure, tied, tied_beside = 0, 0, 0
        low = begin + np.searchsorted(tokens[begin:end], (length + 1) // 2)
        high = begin + np.searchsorted(tokens[begin:end], 2 * length, "right")
        for k in range(2 * there + high - low):  # the negatives twice, then all texts of the length
            one = negatives[starts[i] + k % there] if k < 2 * there else low + k - 2 * there
            fits = low <= one < high and not np.isnan(row[one - first]) and not (two and np.isnan(second[one - first]))
            if not fits:
                problems[i] = STRANGE if k < there else problems[i]
                continue
            apart = row[one - first] - own
            sign, in_doubt = _sign(row[one - first], own, close[0]), _in_doubt(row[one - first], own, close[0])
            sign_beside, doubt_beside = 0, False
            if two:
                sign_beside = _sign(second[one - first], similarity_beside[i], close[1])
                doubt_beside = _in_doubt(second[one - first], similarity_beside[i], close[1])
            sign_length = 0
            if lengths or (sign == 0 and sign_beside == 0):
                far, near = max(tokens[one], asked[i]), min(tokens[one], asked[i])
                sign_length = np.sign(near * max(length, asked[i]) - far * min(length, asked[i]))
            kind = 13 + 9 * sign + 3 * sign_beside + sign_length
            if k < there:
                taken[kind] += 1
                tied += in_doubt
                tied_beside += doubt_beside
            if in_doubt or doubt_beside:  # may be of another kind
                unsure += k >= 2 * there
            elif k < there:
                furthest[kind] = max(furthest[kind], abs(apart))
            elif k < 2 * there:
                nearer[kind] -= abs(apart) + close[0] < furthest[kind]
            else:
                around[kind] += 1
                nearer[kind] += abs(apart) + close[0] < furthest[kind]
        if problems[i]:
            continue
        available, farther = 0, False
        balance, balance_beside, balance_length = 0, 0, 0
        for kind in range(27):
            farther |= nearer[kind] > 0
            available += min(around[kind], around[26 - kind]) * (kind != 13)
            balance += (kind // 9 - 1) * taken[kind]
            balance_beside += (kind // 3 % 3 - 1) * taken[kind]
            balance_length += (kind % 3 - 1) * taken[kind]
        equal = min(most, around[13])
        wanted = equal + 2 * min((most - equal) // 2, available // 2)
        if not there:
            problems[i] = NO_GROUP if available or (not unsure and wanted > 1) else 0
        elif (
            abs(balance) > tied or abs(balance_beside) > tied_beside or (balance_length and (lengths or close[0] == 0))
        ):
            problems[i] = UNBALANCED
        elif not 2 <= there <= most or (not unsure and there != wanted):
            problems[i] = MISCOUNTED
        elif farther:
            problems[i] = FARTHER


@compiled
def check_most_topical(
    cell: Similarities,
    answered: BOOL,
    is_least: BOOL,
    groups: Groups,
    close: float,
    most: int,
    problems: I64,
) -> None:
    """Write what is wrong with the groups of queries in `topic_adversarial`.

    Args:
        cell, close: as in `check_near`.
        answered: shape (queries,), whether a positive may be in a pair.
        is_least: shape (queries,), whether the positive of the group is the least topical of these positives.
        groups: of the queries.
        most: negatives of a query.
        problems: shape (queries,); written.
    """
    first, similar, _ = cell
    starts, ends, negatives = groups
    for i in range(len(similar)):
        row, lowest, strange = similar[i], np.inf, False
        for one in negatives[starts[i] : ends[i]]:
            if not 0 <= one - first < len(row) or np.isnan(row[one - first]):
                strange = True
                break
            lowest = min(lowest, row[one - first])
        available, nearer = 0, 0
        for value in row:
            available += not np.isnan(value)
            nearer += value - close > lowest
        available = min(available, most)
        problems[i] = 0
        if not answered[i] or not available:
            problems[i] = UNASKED if starts[i] >= 0 else 0
        elif starts[i] < 0:
            problems[i] = NO_GROUP
        elif not is_least[i]:
            problems[i] = NOT_LEAST
        elif strange:
            problems[i] = STRANGE
        elif ends[i] - starts[i] != available or nearer >= available:
            problems[i] = FARTHER
