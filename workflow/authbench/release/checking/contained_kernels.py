"""Compiled loops of the search for texts that share much of their text."""

import numpy as np

from authbench.core.arrays import I32, I64, U8, U64
from authbench.core.runtime.jit import compiled
from authbench.release.checking.gram_kernels import hash_grams

u64 = np.uint64


@compiled
def _count(counts: U8, slot: int) -> int:
    """Count up to 2 in a table with four counters in a byte; return how many more values are repeated."""
    shift = 2 * (slot & 3)
    before = (counts[slot >> 2] >> shift) & 3
    if before < 2:
        counts[slot >> 2] += 1 << shift
    return 0 if before == 0 else 2 if before == 1 else 1


@compiled
def _is_repeated(counts: U8, slot: int) -> bool:
    return bool((counts[slot >> 2] >> (2 * (slot & 3))) & 3 == 2)


@compiled
def collect_part(data: U8, offsets: I64, length: int, parts: int, part: int, counts: U8, sizes: I64) -> tuple[U64, I32]:
    """Return the hashes in a range (of `parts`) that may occur more than once, text by text, and their texts.

    Args:
        data: UTF-8 bytes; text d is `data[offsets[d]:offsets[d + 1]]`.
        offsets: shape (texts + 1,).
        length: characters of a gram.
        parts: number of hash ranges.
        part: the range.
        counts: a table of zeros, 2^k bytes; written.
        sizes: shape (texts,), the number of grams of each text; written.

    Returns:
        Two arrays of shape (hashes,).
    """
    mask, hashes, repeated = u64(4 * len(counts) - 1), np.empty(1, np.uint64), 0
    for d in range(len(offsets) - 1):
        if offsets[d + 1] - offsets[d] >= len(hashes):
            hashes = np.empty(2 * (offsets[d + 1] - offsets[d] + 1), np.uint64)
        sizes[d] = hash_grams(data, offsets[d], offsets[d + 1], length, hashes)
        for i in range(sizes[d]):
            if parts == 1 or np.int64((hashes[i] >> u64(40)) % u64(parts)) == part:
                repeated += _count(counts, int(np.int64(hashes[i] & mask)))
    found, owner, n_found = np.empty(repeated, np.uint64), np.empty(repeated, np.int32), 0
    for d in range(len(offsets) - 1):
        n = hash_grams(data, offsets[d], offsets[d + 1], length, hashes)
        for i in range(n):
            own = parts == 1 or np.int64((hashes[i] >> u64(40)) % u64(parts)) == part
            if own and _is_repeated(counts, int(np.int64(hashes[i] & mask))):
                found[n_found], owner[n_found] = hashes[i], d
                n_found += 1
    return found, owner


@compiled
def leave_repeated(hashes: U64, owner: I32, counts: U8) -> int:
    """Move the hashes that may occur more than once to the front and return their number.

    Args:
        hashes: shape (n,); changed in place.
        owner: shape (n,), their texts; changed likewise.
        counts: a second table of zeros, 2^k bytes; written.
    """
    mask, left = u64(4 * len(counts) - 1), 0
    for i in range(len(hashes)):
        _count(counts, int(np.int64((hashes[i] >> u64(32)) & mask)))
    for i in range(len(hashes)):
        if _is_repeated(counts, int(np.int64((hashes[i] >> u64(32)) & mask))):
            hashes[left], owner[left] = hashes[i], owner[i]
            left += 1
    return left


@compiled
def group_part(
    hashes: U64, owner: I32, order: I64, common: int, widest: int, repeats: I64, too_common: I64
) -> tuple[I32, I64]:
    """Return the texts that share a gram, gram by gram, and the end of each gram's texts.

    Grams in more than `widest` texts are left out.

    Args:
        hashes: shape (n,), of grams.
        owner: shape (n,), their texts.
        order: shape (n,), sorts the grams, texts ascending.
        common: a gram in more texts than this is too common.
        widest: the most texts in a group.
        repeats: shape (texts,), raised by the number of repeated grams of each text.
        too_common: shape (texts,), raised by the number of each text's grams that are in more than `common` texts.

    Returns:
        Shape (members,), and shape (groups + 1,).
    """
    members, ends, n, groups = np.empty(len(order), np.int32), np.empty(len(order) + 1, np.int64), 0, 0
    ends[0] = 0
    start = 0
    while start < len(order):
        end, begin = start, n
        while end < len(order) and hashes[order[end]] == hashes[order[start]]:
            d = owner[order[end]]
            if n > begin and members[n - 1] == d:
                repeats[d] += 1
            else:
                members[n] = d
                n += 1
            end += 1
        if n - begin > common:
            for k in range(begin, n):
                too_common[members[k]] += 1
        if 2 <= n - begin <= widest:
            groups += 1
            ends[groups] = n
        else:
            n = begin
        start = end
    return members[:n].copy(), ends[: groups + 1].copy()


@compiled
def pairs_that_share(members: I32, ends: I64, origin: I64, least: I64, share: float) -> tuple[I64, I64]:
    """Return pairs of texts (the earlier first) of two origins that share enough of the grams in `members`.

    Args:
        members: texts, group by group: group g is `members[ends[g]:ends[g + 1]]`, ascending.
        ends: shape (groups + 1,).
        origin: shape (texts,), a number for each origin.
        least: shape (texts,), the number of grams of each text that may be shared.
        share: the required share of the smaller `least`.

    Returns:
        Two arrays of shape (pairs,).
    """
    texts = len(origin)
    starts = np.zeros(texts + 1, np.int64)
    for k in range(len(members)):
        starts[members[k] + 1] += 1
    for d in range(texts):
        starts[d + 1] += starts[d]
    at, place = starts[:-1].copy(), np.empty(len(members), np.int64)
    for g in range(len(ends) - 1):
        for k in range(ends[g], ends[g + 1]):
            place[at[members[k]]] = g
            at[members[k]] += 1
    shared, touched = np.zeros(texts, np.int64), np.empty(texts, np.int64)
    earlier, later, found = np.empty(64, np.int64), np.empty(64, np.int64), 0
    for d in range(texts):
        met = 0
        for i in range(starts[d], starts[d + 1]):
            g = place[i]
            for k in range(ends[g], ends[g + 1]):
                other = members[k]
                if other >= d:
                    break
                if origin[other] != origin[d]:
                    if shared[other] == 0:
                        touched[met] = other
                        met += 1
                    shared[other] += 1
        for i in range(met):
            other = touched[i]
            if shared[other] >= share * min(least[d], least[other]) - 1e-6:
                if found == len(earlier):
                    earlier = np.concatenate((earlier, np.empty_like(earlier)))
                    later = np.concatenate((later, np.empty_like(later)))
                earlier[found], later[found] = other, d
                found += 1
            shared[other] = 0
    return earlier[:found], later[:found]


@compiled
def distinct_grams(data: U8, start: int, end: int, length: int) -> U64:
    """Return the distinct grams of a text, sorted.

    Args:
        data: UTF-8 bytes.
        start: start of the text in `data`.
        end: its end.
        length: characters of a gram.

    Returns:
        Shape (distinct grams,), hashes.
    """
    hashes = np.empty(end - start + 1, np.uint64)
    n = hash_grams(data, start, end, length, hashes)
    own = hashes[:n]
    own.sort()
    kept = 0
    for i in range(n):
        if i == 0 or own[i] != own[i - 1]:
            own[kept] = own[i]
            kept += 1
    return own[:kept]
