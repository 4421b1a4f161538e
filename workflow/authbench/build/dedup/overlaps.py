"""Compiled inner loops of `containment`: overlaps of samples and of sets of shingles."""

import numpy as np

from authbench.core.arrays import BOOL, F64, I32, I64, U64
from authbench.core.runtime.jit import compiled

u64 = np.uint64


@compiled
def sample(hashes: U64, ends: I64, rate: int, chosen: U64, chosen_ends: I64) -> None:
    """Write each text's distinct hashes that are multiples of `rate`, sorted, text by text.

    Args:
        hashes: shape (shingles,); text d has `hashes[ends[d]:ends[d + 1]]`.
        ends: shape (texts + 1,).
        rate: 1 hash in so many is taken.
        chosen: shape (shingles,); written from the front.
        chosen_ends: shape (texts + 1,); written: the hashes of text d end at `chosen_ends[d + 1]`.
    """
    chosen_ends[0] = 0
    for d in range(len(ends) - 1):
        start = end = chosen_ends[d]
        for at in range(ends[d], ends[d + 1]):
            if hashes[at] % u64(rate) == 0:
                chosen[end] = hashes[at]
                end += 1
        chosen[start:end].sort()
        kept = start
        for at in range(start, end):
            if at == start or chosen[at] != chosen[at - 1]:
                chosen[kept] = chosen[at]
                kept += 1
        chosen_ends[d + 1] = kept


@compiled
def perhaps_repeated(hashes: U64) -> BOOL:
    """Return whether another position may have the same hash: true wherever it has, and for a few others.

    Takes four to eight bytes a hash: a counter for each of as many values of the high bits.
    """
    bits = 2
    while (1 << bits) < 4 * len(hashes):
        bits += 1
    shift = u64(64 - bits)
    seen = np.zeros(1 << bits, np.uint8)
    for at in range(len(hashes)):
        slot = np.int64(hashes[at] >> shift)
        seen[slot] = min(seen[slot] + 1, 2)
    perhaps = np.empty(len(hashes), np.bool_)
    for at in range(len(hashes)):
        perhaps[at] = seen[np.int64(hashes[at] >> shift)] > 1
    return perhaps


@compiled
def sample_overlaps(previous: I64, owner: I32, ends: I64, sizes: I64, origin: I64, share: float) -> tuple[I32, I32]:
    """Return pairs of texts of different origins whose samples of shingles may overlap by `share` of the smaller.

    A pair is left out if its overlap is more than three standard deviations below the expectation at `share`.

    Args:
        previous: shape (positions,), the last earlier position with the same shingle (-1: none), of the shingles that
            other texts have too; text d's are the positions `ends[d]:ends[d + 1]`.
        owner: shape (positions,), the text of each.
        ends: shape (texts + 1,).
        sizes: shape (texts,), all shingles of each sample.
        origin: shape (texts,), a number for each origin.
        share: of the smaller sample.

    Returns:
        The earlier and the later text, each of shape (pairs,).
    """
    n = len(ends) - 1
    overlap = np.zeros(n, np.int64)
    touched = np.empty(n, np.int32)
    earlier, later = np.empty(1024, np.int32), np.empty(1024, np.int32)
    found = 0
    for d in range(n):
        met = 0
        for at in range(ends[d], ends[d + 1]):
            other_at = previous[at]
            while other_at >= 0:
                other = owner[other_at]
                if origin[other] != origin[d]:
                    if overlap[other] == 0:
                        touched[met] = other
                        met += 1
                    overlap[other] += 1
                other_at = previous[other_at]
        for k in range(met):
            other = touched[k]
            expected = share * min(sizes[d], sizes[other])
            if overlap[other] >= expected - 3.0 * np.sqrt(expected):
                if found == len(earlier):
                    earlier = np.concatenate((earlier, np.empty_like(earlier)))
                    later = np.concatenate((later, np.empty_like(later)))
                earlier[found], later[found] = other, d
                found += 1
            overlap[other] = 0
    return earlier[:found], later[:found]


@compiled
def shared(a: U64, b: U64) -> int:
    """Return the size of the intersection of two sorted multisets.

    Args:
        a: shape (n,), sorted; repeated elements count as often as both have them.
        b: shape (m,), sorted.
    """
    i, j, count = 0, 0, 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            count += 1
            i += 1
            j += 1
        elif a[i] < b[j]:
            i += 1
        else:
            j += 1
    return count


@compiled
def shares_of_smaller(a: U64, ends_a: I64, of_a: I64, b: U64, ends_b: I64, of_b: I64) -> F64:
    """Return for each pair (`of_a[k]`, `of_b[k]`) of documents the share of the smaller set that both have.

    Args:
        a: sorted sets, concatenated: document i of the first side is `a[ends_a[i]:ends_a[i + 1]]`.
        ends_a: shape (documents + 1,).
        of_a: shape (pairs,), documents of the first side.
        b, ends_b, of_b: likewise of the other side.

    Returns:
        Shape (pairs,), in [0, 1].
    """
    share = np.empty(len(of_a), np.float64)
    for k in range(len(of_a)):
        one = a[ends_a[of_a[k]] : ends_a[of_a[k] + 1]]
        other = b[ends_b[of_b[k]] : ends_b[of_b[k] + 1]]
        share[k] = shared(one, other) / min(len(one), len(other))
    return share
