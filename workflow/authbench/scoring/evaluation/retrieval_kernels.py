"""Compiled inner loops of `retrieval` and `verification` over pairs of query and candidate.

What the loops take, with its shape:
    scores: (block, candidates), of the queries `first`, `first + 1`, ... of the split
    starts: (queries + 1,), the start of each query's list in `rows`
    rows: (listed,), candidates, grouped by query; what is written for each of them has the same shape
    query_keys, candidate_keys: (queries,) and (candidates,), from `retrieval.tie_keys`
"""

import numpy as np

from authbench.build.dedup.shingle_kernels import mix
from authbench.core.arrays import BOOL, F64, I32, I64, U64
from authbench.core.runtime.jit import compiled

Scores = np.ndarray  # queries x candidates, float32 or float64
# Numbers of pools, shapes (queries,) and (candidates,), and the members of pool p, ascending:
# `members[starts[p]:starts[p + 1]]`, with starts of shape (highest pool + 2,) and members of shape (candidates,).
Pools = tuple[I32, I32, I64, I32]
Grouped = tuple[I64, I32]  # as `Lists`: the start of each query's list, shape (queries + 1,), and candidates by query
STRIDE = 256  # scores compared together: mostly none of them is among the highest


@compiled
def exclude(scores: Scores, first: int, starts: I64, rows: I32) -> None:
    """Put the excluded candidates of queries `first`, `first + 1`, ... behind all others."""
    for r in range(len(scores)):
        for k in range(starts[first + r], starts[first + r + 1]):
            scores[r, rows[k]] = -np.inf


@compiled
def _higher(row: Scores, score: float) -> np.uint32:
    """Return how many of the row's scores are higher, in 32 bits: the compiler then compares sixteen at a time."""
    count = np.uint32(0)
    for c in range(len(row)):
        count = np.uint32(count + np.uint32(row[c] > score))
    return count


@compiled
def _not_lower(row: Scores, score: float) -> np.uint32:
    """Return how many of the row's scores are as high or higher, in 32 bits as well."""
    count = np.uint32(0)
    for c in range(len(row)):
        count = np.uint32(count + np.uint32(row[c] >= score))
    return count


@compiled
def _place_in_tie(query_key: np.uint64, candidate_key: np.uint64) -> np.uint64:
    """Return a hash of query and candidate; of equal scores, the lower hash ranks first."""
    return mix(query_key ^ mix(candidate_key))


@compiled
def rank_rows(
    scores: Scores, first: int, starts: I64, rows: I32, query_keys: U64, candidate_keys: U64, ranks: I32
) -> None:
    """Write the rank, from 1, of each listed candidate of queries `first`, ...; ties by `_place_in_tie`."""
    for r in range(len(scores)):
        row, key = scores[r], query_keys[first + r]
        for k in range(starts[first + r], starts[first + r + 1]):
            score = row[rows[k]]
            before = 1 + int(_higher(row, score))
            if int(_not_lower(row, score)) > before:
                own = _place_in_tie(key, candidate_keys[rows[k]])
                for c in range(len(row)):
                    if row[c] == score and _place_in_tie(key, candidate_keys[c]) < own:
                        before += 1
            ranks[k] = before


@compiled
def rank_among(
    scores: Scores, first: int, starts: I64, rows: I32, pools: Pools, query_keys: U64, candidate_keys: U64, ranks: I32
) -> None:
    """Write ranks as `rank_rows` does, among the candidates of each query's pool; 0: the candidate is outside it."""
    pool_of_query, pool_of_candidate, pool_starts, members = pools
    gathered = np.empty(scores.shape[1], scores.dtype)
    for r in range(len(scores)):
        if starts[first + r] == starts[first + r + 1]:
            continue
        row, key, pool = scores[r], query_keys[first + r], pool_of_query[first + r]
        of_pool = members[pool_starts[pool] : pool_starts[pool + 1]]
        own = gathered[: len(of_pool)]
        for place in range(len(of_pool)):
            own[place] = row[of_pool[place]]
        for k in range(starts[first + r], starts[first + r + 1]):
            at = rows[k]
            if pool_of_candidate[at] != pool:
                ranks[k] = 0
                continue
            score = row[at]
            before = 1 + int(_higher(own, score))
            if int(_not_lower(own, score)) > before:
                turn = _place_in_tie(key, candidate_keys[at])
                for place in range(len(own)):
                    if own[place] == score and _place_in_tie(key, candidate_keys[of_pool[place]]) < turn:
                        before += 1
            ranks[k] = before


@compiled
def nearest(scores: Scores, first: int, query_keys: U64, candidate_keys: U64, rows: I32, values: Scores) -> None:
    """Write the highest scores of queries `first`, ... and their candidates, best first; ties by `_place_in_tie`.

    `rows` and `values`, shape (block, nearest), are padded with -1 and -inf; candidates at -inf are skipped.
    """
    count = values.shape[1]
    places = np.empty(count, np.uint64)
    for r in range(len(scores)):
        row, best, whose, key = scores[r], values[r], rows[r], query_keys[first + r]
        best[:] = -np.inf
        whose[:] = -1
        places[:] = 0
        for start in range(0, len(row), STRIDE):
            end = min(start + STRIDE, len(row))
            if _not_lower(row[start:end], best[count - 1]) == 0:
                continue
            for c in range(start, end):
                score = row[c]
                if score < best[count - 1] or score == -np.inf:
                    continue
                place = _place_in_tie(key, candidate_keys[c])
                at = count
                while at > 0 and (score > best[at - 1] or (score == best[at - 1] and place < places[at - 1])):
                    at -= 1
                for behind in range(count - 1, at, -1):
                    best[behind], whose[behind], places[behind] = (
                        best[behind - 1],
                        whose[behind - 1],
                        places[behind - 1],
                    )
                if at < count:
                    best[at], whose[at], places[at] = score, c, place


@compiled
def _mix_all(key: np.uint64, mixed: U64, found: U64) -> np.uint64:
    """Write the hashes of a query's key and some mixed keys of candidates, and return the lowest."""
    lowest = np.uint64(0xFFFFFFFFFFFFFFFF)
    for k in range(len(mixed)):
        found[k] = mix(key ^ mixed[k])
        lowest = min(lowest, found[k])
    return lowest


@compiled
def draw_by_hash(
    query_keys: U64, candidate_keys: U64, groups: Pools, positives: Grouped, excluded: Grouped, drawn: I32
) -> None:
    """Write for each query the candidates of its group with the lowest hashes, except positive and excluded candidates.

    `drawn`, shape (queries, most), comes filled with -1, and the lowest hash is first. If there are too few, the rest
    stays -1; group -1 has none.
    """
    group_of_query, _, group_starts, members = groups
    count = drawn.shape[1]
    barred = np.zeros(len(candidate_keys), np.bool_)
    hashes, block = np.empty(count, np.uint64), np.empty(STRIDE, np.uint64)
    mixed = np.empty(len(members), np.uint64)
    for k in range(len(members)):
        mixed[k] = mix(candidate_keys[members[k]])
    for q in range(len(query_keys)):
        if group_of_query[q] < 0:
            continue
        for starts, rows in (positives, excluded):
            barred[rows[starts[q] : starts[q + 1]]] = True
        filled, end = 0, group_starts[group_of_query[q] + 1]
        for start in range(group_starts[group_of_query[q]], end, STRIDE):
            size = min(STRIDE, end - start)
            lowest = _mix_all(query_keys[q], mixed[start : start + size], block)
            if filled == count and lowest >= hashes[count - 1]:
                continue
            for k in range(size):
                c, h = members[start + k], block[k]
                if (filled == count and h >= hashes[count - 1]) or barred[c]:
                    continue
                at = filled if filled < count else count - 1
                filled = min(filled + 1, count)
                while at > 0 and h < hashes[at - 1]:
                    hashes[at], drawn[q, at] = hashes[at - 1], drawn[q, at - 1]
                    at -= 1
                hashes[at], drawn[q, at] = h, c
        for starts, rows in (positives, excluded):
            barred[rows[starts[q] : starts[q + 1]]] = False


@compiled
def gather(scores: Scores, first: int, starts: I64, rows: I32, values: F64) -> None:
    """Write the score of each listed candidate with its query."""
    for r in range(len(scores)):
        for k in range(starts[first + r], starts[first + r + 1]):
            values[k] = scores[r, rows[k]]


@compiled
def count_scores(scores: Scores, first: int, answered: BOOL, rest: int, counts: I64) -> None:
    """Count the scores of answered queries `first`, ... in ordered bins, without the scores of excluded candidates.

    A bin contains the scores whose 32 bits, transformed to sort as numbers do, have the same prefix
    (`metrics.score_bins`); `rest` is how many low bits it ignores. `answered`, shape (queries,), says which queries
    have a positive; `counts`, shape (bins,), is incremented.
    """
    shift = np.uint32(rest)
    bits = np.empty(scores.shape[1], np.float32)
    whole = bits.view(np.uint32)
    for r in range(len(scores)):
        if not answered[first + r]:
            continue
        for c in range(len(bits)):
            bits[c] = scores[r, c] + np.float32(0)  # turns -0.0 into 0.0
            if bits[c] != -np.inf:
                value = whole[c]
                turned = ~value if value & np.uint32(0x80000000) else value | np.uint32(0x80000000)
                counts[np.uint32(turned) >> shift] += 1
