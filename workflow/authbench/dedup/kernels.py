"""What runs once per character? The compiled inner loops of `shingles`, `minhash`, `dedup` and `containment`.

They stand in one file because numba's cache notices an edit only in the file of the function it compiled.
All are sequential, release the GIL, and work on 64-bit hashes of shingles (`mix` of a polynomial).
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np

from authbench.dedup.arrays import F64, I32, I64, U8, U32, U64

Kernel = TypeVar("Kernel", bound=Callable[..., Any])
u32, u64 = np.uint32, np.uint64

BASE = u64(0xD6E8FEB86659FD93)  # of the polynomial over code points
GOLDEN = u64(0x9E3779B97F4A7C15)  # apart from one occurrence of a shingle to the next
WORDS = 64  # of 64 bits, in the bitmap of a text's shingles


def compiled(function: Kernel) -> Kernel:
    return cast(Kernel, numba.njit(cache=True, nogil=True)(function))


@compiled
def mix(h: np.uint64) -> np.uint64:
    """MurmurHash3's 64-bit finaliser, a bijection."""
    h ^= h >> u64(33)
    h *= u64(0xFF51AFD7ED558CCD)
    h ^= h >> u64(33)
    h *= u64(0xC4CEB9FE1A85EC53)
    return h ^ (h >> u64(33))


@compiled
def mix32(h: np.uint32) -> np.uint32:
    """MurmurHash3's 32-bit finaliser: datasketch's `affine32` applies it to an element before it permutes."""
    h = u32(h ^ (h >> u32(16)))
    h = u32(h * u32(0x85EBCA6B))
    h = u32(h ^ (h >> u32(13)))
    h = u32(h * u32(0xC2B2AE35))
    return u32(h ^ (h >> u32(16)))


@compiled
def is_space(point: int) -> bool:
    """The white space of `str.split`."""
    if point < 0x1680:
        return 9 <= point <= 13 or 28 <= point <= 32 or point == 0x85 or point == 0xA0
    return (
        point == 0x1680
        or 0x2000 <= point <= 0x200A
        or point == 0x2028
        or point == 0x2029
        or point == 0x202F
        or point == 0x205F
        or point == 0x3000
    )


@compiled
def folded_points(data: U8, start: int, end: int, points: U32) -> int:
    """Decode UTF-8, fold each run of white space to one space and trim; give the number of code points."""
    count, at, gap = 0, start, False
    while at < end:
        lead = np.int64(data[at])
        if lead < 0x80:
            point, width = lead, 1
        elif lead < 0xE0:
            point, width = lead & 0x1F, 2
        elif lead < 0xF0:
            point, width = lead & 0x0F, 3
        else:
            point, width = lead & 0x07, 4
        for k in range(1, width):
            point = (point << 6) | (np.int64(data[at + k]) & 0x3F)
        at += width
        if is_space(int(point)):
            gap = count > 0
            continue
        if gap:
            points[count] = 32
            count += 1
            gap = False
        points[count] = point
        count += 1
    return count


@compiled
def hash_shingles(points: U32, count: int, length: int, hashes: U64) -> int:
    """Hash each run of `length` code points, or the whole of a shorter text; give the number of shingles."""
    leaving = u64(1)
    for _ in range(length):
        leaving *= BASE
    h = u64(0)
    for i in range(count):
        h = h * BASE + u64(points[i])
        if i >= length:
            h -= leaving * u64(points[i - length])
        if i >= length - 1:
            hashes[i - length + 1] = mix(h)
    if count < length:
        hashes[0] = mix(h)
        return 1
    return count - length + 1


@compiled
def number_occurrences(hashes: U64, count: int, keys: U64, seen: I32, elements: U32) -> None:
    """Make a set of a multiset: the k-th occurrence of a shingle becomes an element of its own.

    `keys` and `seen` are the room of a hash table, at least twice `count`.
    """
    size = 1
    while size < 2 * count:
        size *= 2
    mask = u64(size - 1)
    seen[:size] = 0
    for i in range(count):
        slot = np.int64(hashes[i] & mask)
        while seen[slot] > 0 and keys[slot] != hashes[i]:
            slot = np.int64(u64(slot + 1) & mask)
        keys[slot] = hashes[i]
        elements[i] = u32((hashes[i] + u64(seen[slot]) * GOLDEN) >> u64(32))
        seen[slot] += 1


@compiled
def sign(data: U8, offsets: I64, length: int, a: U32, b: U32, signatures: U32, sizes: U32) -> None:
    """Fill the MinHash signature and the number of shingles of each text `data[offsets[d]:offsets[d + 1]]`."""
    longest = 1
    for d in range(len(offsets) - 1):
        longest = max(longest, offsets[d + 1] - offsets[d])
    points, hashes, elements = np.empty(longest, u32), np.empty(longest, u64), np.empty(longest, u32)
    keys, seen = np.empty(4 * longest, u64), np.empty(4 * longest, np.int32)
    for d in range(len(offsets) - 1):
        count = hash_shingles(points, folded_points(data, offsets[d], offsets[d + 1], points), length, hashes)
        number_occurrences(hashes, count, keys, seen, elements)
        for i in range(count):
            elements[i] = mix32(elements[i])
        for k in range(len(a)):
            factor, term, least = a[k], b[k], u32(0xFFFFFFFF)
            for i in range(count):
                least = min(least, u32(u32(factor * elements[i]) + term))
            signatures[d, k] = least
        sizes[d] = count


@compiled
def hash_bands(signatures: U32, rows: int, bands: U64) -> None:
    """Fill `bands[j, d]` with a hash of the j-th `rows` values of signature d."""
    for d in range(signatures.shape[0]):
        for j in range(bands.shape[0]):
            h = u64(0)
            for k in range(j * rows, (j + 1) * rows):
                h = h * BASE + u64(signatures[d, k])
            bands[j, d] = mix(h)


@compiled
def shingle(data: U8, offsets: I64, length: int, hashes: U64, ends: I64) -> None:
    """Write the shingle hashes of the texts one after another; text d's end at `ends[d + 1]`."""
    longest = 1
    for d in range(len(offsets) - 1):
        longest = max(longest, offsets[d + 1] - offsets[d])
    points = np.empty(longest, u32)
    ends[0] = 0
    for d in range(len(offsets) - 1):
        count = folded_points(data, offsets[d], offsets[d + 1], points)
        ends[d + 1] = ends[d] + hash_shingles(points, count, length, hashes[ends[d] :])


@compiled
def first_with_same(values: U64) -> I32:
    """For each position the first position with the same value."""
    size = 1
    while size < 2 * len(values):
        size *= 2
    mask = u64(size - 1)
    table = np.full(size, -1, np.int32)
    first = np.empty(len(values), np.int32)
    for d in range(len(values)):
        slot = np.int64(values[d] & mask)
        while table[slot] >= 0 and values[table[slot]] != values[d]:
            slot = np.int64(u64(slot + 1) & mask)
        if table[slot] < 0:
            table[slot] = d
        first[d] = table[slot]
    return first


@compiled
def root_of(parent: I32, d: int) -> int:
    while parent[d] != d:
        parent[d] = parent[parent[d]]
        d = parent[d]
    return d


@compiled
def unite(parent: I32, first: I32) -> None:
    """Join each document's component with that of `first[d]`; a component's root is its smallest member."""
    for d in range(len(first)):
        if first[d] != d:
            x, y = root_of(parent, d), root_of(parent, first[d])
            if x != y:
                parent[max(x, y)] = min(x, y)


@compiled
def roots(parent: I32) -> I32:
    found = np.empty_like(parent)
    for d in range(len(parent)):
        found[d] = root_of(parent, d)
    return found


@compiled
def shared(a: U64, b: U64) -> int:
    """Size of the intersection of two sorted multisets."""
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
def ones(word: np.uint64) -> int:
    """Number of bits set."""
    word -= (word >> u64(1)) & u64(0x5555555555555555)
    word = (word & u64(0x3333333333333333)) + ((word >> u64(2)) & u64(0x3333333333333333))
    word = (word + (word >> u64(4))) & u64(0x0F0F0F0F0F0F0F0F)
    return int((word * u64(0x0101010101010101)) >> u64(56))


@compiled
def draw_bitmaps(hashes: U64, ends: I64) -> U64:
    """A bitmap per document (documents x WORDS): the bits that the low ends of its hashes name."""
    bitmaps = np.zeros((len(ends) - 1, WORDS), u64)
    for d in range(len(ends) - 1):
        for i in range(ends[d], ends[d + 1]):
            bitmaps[d, np.int64((hashes[i] >> u64(6)) % u64(WORDS))] |= u64(1) << (hashes[i] & u64(63))
    return bitmaps


@compiled
def jaccard_from(a: U64, b: U64, bits_a: U64, bits_b: U64, threshold: float) -> float:
    """Jaccard similarity of two sorted multisets, or 0 as soon as it cannot reach the threshold.

    A bit that only one of the bitmaps has is an element without a partner: that alone rejects most pairs.
    """
    needed = threshold * (len(a) + len(b)) / (1.0 + threshold) - 1e-6  # shared elements at the threshold
    spare_a, spare_b = len(a) - needed, len(b) - needed  # elements that may lack a partner
    if spare_a < 0 or spare_b < 0:
        return 0.0
    alone_a, alone_b = 0, 0
    for k in range(WORDS):
        alone_a += ones(bits_a[k] & ~bits_b[k])
        alone_b += ones(bits_b[k] & ~bits_a[k])
    if alone_a > spare_a or alone_b > spare_b:
        return 0.0
    i, j, count = 0, 0, 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            count += 1
            i += 1
            j += 1
        elif a[i] < b[j]:
            i += 1
            if i - count > spare_a:
                return 0.0
        else:
            j += 1
            if j - count > spare_b:
                return 0.0
    return count / (len(a) + len(b) - count)


@compiled
def compare_with_earlier(
    first: I32, hashes: U64, ends: I64, threshold: float, only_accepted: bool
) -> tuple[I32, I32, F64, int]:
    """Compare each document with the earlier ones of its buckets; give (earlier, later, similarity, comparisons).

    `first[j, d]` names document d's bucket in band j by the bucket's first document; `hashes[ends[d]:ends[d + 1]]`
    are its shingles, sorted. With `only_accepted`, a document that resembles an earlier one joins no bucket:
    nothing is ever compared with it, and a crowd of copies costs one comparison each.
    """
    bands, n = first.shape
    bitmaps = draw_bitmaps(hashes, ends)
    newest = np.full((bands, n), -1, np.int32)  # last document to join a bucket
    before = np.full((bands, n), -1, np.int32)  # the one that had joined before it
    asked_by = np.full(n, -1, np.int32)
    earlier, later, similarity = np.empty(1024, np.int32), np.empty(1024, np.int32), np.empty(1024, np.float64)
    found, comparisons = 0, 0
    for d in range(n):
        found_before = found
        for j in range(bands):
            other = newest[j, first[j, d]]
            while other >= 0:
                if asked_by[other] != d:
                    asked_by[other] = d
                    comparisons += 1
                    value = jaccard_from(
                        hashes[ends[other] : ends[other + 1]],
                        hashes[ends[d] : ends[d + 1]],
                        bitmaps[other],
                        bitmaps[d],
                        threshold,
                    )
                    if value >= threshold:
                        if found == len(earlier):
                            earlier = np.concatenate((earlier, np.empty_like(earlier)))
                            later = np.concatenate((later, np.empty_like(later)))
                            similarity = np.concatenate((similarity, np.empty_like(similarity)))
                        earlier[found], later[found], similarity[found] = other, d, value
                        found += 1
                other = before[j, other]
        if only_accepted and found > found_before:
            continue
        for j in range(bands):
            before[j, d] = newest[j, first[j, d]]
            newest[j, first[j, d]] = d
    return earlier[:found], later[:found], similarity[:found], comparisons


@compiled
def sample_overlaps(previous: I64, owner: I32, ends: I64, origin: I64, share: float) -> tuple[I32, I32]:
    """Pairs of documents of different origins whose samples of shingles may overlap by `share` of the smaller.

    Document d's sampled shingles are positions `ends[d]:ends[d + 1]`, of which `previous` gives the last earlier
    position with the same shingle (-1: none) and `owner` the document. A pair is left out when its overlap lies
    more than three standard deviations under the one expected at `share`.
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
            expected = share * min(ends[d + 1] - ends[d], ends[other + 1] - ends[other])
            if overlap[other] >= expected - 3.0 * np.sqrt(expected):
                if found == len(earlier):
                    earlier = np.concatenate((earlier, np.empty_like(earlier)))
                    later = np.concatenate((later, np.empty_like(later)))
                earlier[found], later[found] = other, d
                found += 1
            overlap[other] = 0
    return earlier[:found], later[:found]


@compiled
def shares_of_smaller(a: U64, ends_a: I64, of_a: I64, b: U64, ends_b: I64, of_b: I64) -> F64:
    """For each pair (`of_a[k]`, `of_b[k]`) of documents the share of the smaller one's elements that both have.

    Document i of the first side is the sorted set `a[ends_a[i]:ends_a[i + 1]]`, likewise on the other side.
    """
    share = np.empty(len(of_a), np.float64)
    for k in range(len(of_a)):
        one = a[ends_a[of_a[k]] : ends_a[of_a[k] + 1]]
        other = b[ends_b[of_b[k]] : ends_b[of_b[k] + 1]]
        share[k] = shared(one, other) / min(len(one), len(other))
    return share
