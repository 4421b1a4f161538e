"""Compiled inner loops from text to shingles and from shingles to MinHash signatures.

The hash of a shingle is `mix` of a polynomial over its code points, modulo 2^64.
"""

import numpy as np

from authbench.core.arrays import I64, U8, U32, U64
from authbench.core.runtime.jit import compiled

u32, u64 = np.uint32, np.uint64

BASE = u64(0xD6E8FEB86659FD93)  # of the polynomial over code points
GOLDEN = u64(0x9E3779B97F4A7C15)  # added per further occurrence of a shingle
PIECE = 1 << 14  # code points of a text that are decoded at once
TABLE = 1 << 22  # distinct shingles that are counted at once; a longer text is read several times
BEFORE, INSIDE, GAP = 0, 1, 2  # state of reading a text: before its first word, in a word, after a word


@compiled
def mix(h: np.uint64) -> np.uint64:
    """Apply MurmurHash3's 64-bit finaliser, a bijection."""
    h ^= h >> u64(33)
    h *= u64(0xFF51AFD7ED558CCD)
    h ^= h >> u64(33)
    h *= u64(0xC4CEB9FE1A85EC53)
    return h ^ (h >> u64(33))


@compiled
def _mix32(h: np.uint32) -> np.uint32:
    """Apply MurmurHash3's 32-bit finaliser, as datasketch's `affine32` does before it permutes an element."""
    h = u32(h ^ (h >> u32(16)))
    h = u32(h * u32(0x85EBCA6B))
    h = u32(h ^ (h >> u32(13)))
    h = u32(h * u32(0xC2B2AE35))
    return u32(h ^ (h >> u32(16)))


# --- from text to shingles ---


@compiled
def _is_space(point: int) -> bool:
    """Return whether a code point is white space for `str.split`."""
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
def _read_points(data: U8, reading: I64, end: int, points: U32, count: int) -> int:
    """Decode UTF-8 after the first `count` points until they are full or the text ends; return their number.

    Each run of white space becomes a space, none at either end. `reading` contains the next byte and the state.
    """
    at, state = reading[0], reading[1]
    while at < end and count + 2 <= len(points):
        lead = u32(data[at])
        if lead < 0x80:
            point = lead
            at += 1
        elif lead < 0xE0:
            point = (lead & u32(0x1F)) << u32(6) | u32(data[at + 1] & 0x3F)
            at += 2
        elif lead < 0xF0:
            point = (lead & u32(0x0F)) << u32(12) | u32(data[at + 1] & 0x3F) << u32(6) | u32(data[at + 2] & 0x3F)
            at += 3
        else:
            point = (lead & u32(0x07)) << u32(18) | u32(data[at + 1] & 0x3F) << u32(12)
            point |= u32(data[at + 2] & 0x3F) << u32(6) | u32(data[at + 3] & 0x3F)
            at += 4
        if _is_space(int(point)):
            state = GAP if state != BEFORE else BEFORE
            continue
        if state == GAP:
            points[count] = 32
            count += 1
        state = INSIDE
        points[count] = point
        count += 1
    reading[0], reading[1] = at, state
    return count


@compiled
def _hash_shingles(points: U32, count: int, length: int, hashes: U64) -> int:
    """Hash each run of `length` code points, or the whole of a shorter text; return the number of shingles."""
    leaving = u64(1)
    for _ in range(length):
        leaving *= BASE
    h = u64(0)
    for i in range(min(count, length)):
        h = h * BASE + u64(points[i])
    hashes[0] = mix(h)
    for i in range(length, count):
        h = h * BASE + u64(points[i]) - leaving * u64(points[i - length])
        hashes[i - length + 1] = mix(h)
    return max(1, count - length + 1)


@compiled
def _next_shingles(
    data: U8, reading: I64, end: int, length: int, points: U32, shared: int, hashes: U64
) -> tuple[int, int]:
    """Hash the shingles of the next piece of a text; return their number and the points shared with the next piece.

    The first `shared` points are shared with the previous piece; -1 at the beginning of a text. A number of 0 means
    that the text has ended.
    """
    count = _read_points(data, reading, end, points, max(shared, 0))
    if count == shared:
        return 0, 0
    shingles = _hash_shingles(points, count, length, hashes)
    shared = min(count, length - 1)
    for i in range(shared):
        points[i] = points[count - shared + i]
    return shingles, shared


@compiled
def shingle(data: U8, offsets: I64, length: int, hashes: U64, ends: I64) -> None:
    """Write the shingle hashes of the texts, concatenated; the hashes of text d end at `ends[d + 1]`.

    Args:
        data: UTF-8 bytes; text d is `data[offsets[d]:offsets[d + 1]]`.
        offsets: shape (texts + 1,).
        length: characters of a shingle.
        hashes: large enough for all; written from the front.
        ends: shape (texts + 1,); written.
    """
    points, reading = np.empty(PIECE + length, u32), np.zeros(2, np.int64)
    ends[0] = 0
    for d in range(len(offsets) - 1):
        reading[0], reading[1] = offsets[d], BEFORE
        found, shared, at = -1, -1, ends[d]
        while found != 0:
            found, shared = _next_shingles(data, reading, offsets[d + 1], length, points, shared, hashes[at:])
            at += found
        ends[d + 1] = at


# --- from shingles to signatures ---


@compiled
def characters(data: U8, start: int, end: int) -> int:
    """Return the number of characters of a text.

    Args:
        data: shape (bytes,), UTF-8.
        start: start of the text in `data`.
        end: its end.
    """
    count = 0
    for at in range(start, end):
        count += (data[at] & 0xC0) != 0x80
    return count


@compiled
def _take_least(elements: U32, count: int, a: U32, b: U32, least: U32) -> None:
    """Lower `least[k]` to the smallest of `a[k] * element + b[k]`."""
    for k in range(len(a)):
        factor, term, smallest = a[k], b[k], least[k]
        for i in range(count):
            smallest = min(smallest, u32(u32(factor * elements[i]) + term))
        least[k] = smallest


@compiled
def sign(data: U8, offsets: I64, length: int, a: U32, b: U32, signatures: U32, sizes: U32) -> None:
    """Fill the MinHash signature and the number of shingles of each text `data[offsets[d]:offsets[d + 1]]`.

    The multiset becomes a set: each occurrence of a shingle is a separate element. Occurrences are counted in a hash
    table of at most TABLE shingles; a longer text is read several times, each time for a share of the hashes.

    Args:
        data: shape (bytes,), UTF-8.
        offsets: shape (texts + 1,).
        length: characters of a shingle.
        a, b: shape (permutations,).
        signatures: shape (texts, permutations); written.
        sizes: shape (texts,); written.
    """
    points, hashes = np.empty(PIECE + length, u32), np.empty(PIECE + length, u64)
    elements, reading = np.empty(PIECE + length, u32), np.zeros(2, np.int64)
    keys, seen = np.empty(2, u64), np.empty(2, np.int32)
    for d in range(len(offsets) - 1):
        signatures[d] = u32(0xFFFFFFFF)
        sizes[d] = 0
        length_of_text = characters(data, offsets[d], offsets[d + 1])
        shares, slots = 1 + length_of_text // TABLE, 2
        while slots < min(4 * length_of_text, 2 * TABLE):
            slots *= 2
        if slots > len(keys):
            keys, seen = np.empty(slots, u64), np.empty(slots, np.int32)
        mask = u64(slots - 1)
        for share in range(shares):
            seen[:slots] = 0
            reading[0], reading[1] = offsets[d], BEFORE
            found, shared = -1, -1
            while found != 0:
                found, shared = _next_shingles(data, reading, offsets[d + 1], length, points, shared, hashes)
                count = 0
                for i in range(found):
                    h = hashes[i]
                    if shares > 1 and np.int64((h >> u64(32)) % u64(shares)) != share:
                        continue
                    slot = np.int64(h & mask)
                    while seen[slot] > 0 and keys[slot] != h:
                        slot = np.int64(u64(slot + 1) & mask)
                    keys[slot] = h
                    elements[count] = _mix32(u32((h + u64(seen[slot]) * GOLDEN) >> u64(32)))
                    seen[slot] += 1
                    count += 1
                _take_least(elements, count, a, b, signatures[d])
                sizes[d] += count


@compiled
def hash_bands(signatures: U32, rows: int, bands: U64) -> None:
    """Fill `bands[j, d]` with a hash of the j-th `rows` values of signature d.

    Args:
        signatures: shape (documents, permutations).
        rows: values of a band.
        bands: shape (bands, documents); written.
    """
    for d in range(signatures.shape[0]):
        for j in range(bands.shape[0]):
            h = u64(0)
            for k in range(j * rows, (j + 1) * rows):
                h = h * BASE + u64(signatures[d, k])
            bands[j, d] = mix(h)


@compiled
def sketch(signatures: U32, bits: int, sketches: U64) -> None:
    """Fill `sketches[d]` with a bit of each of the first `bits` values of signature d.

    Args:
        signatures: shape (documents, permutations).
        bits: at most 64 for each word of a sketch.
        sketches: shape (documents, words); written.
    """
    for d in range(signatures.shape[0]):
        sketches[d] = u64(0)
        for k in range(bits):
            sketches[d, k // 64] |= u64(_mix32(signatures[d, k]) & u32(1)) << u64(k % 64)
