"""Compiled loops over the character grams of texts: hashes, and the grams that two texts share.

A gram is a run of `length` characters, where a run of white space counts as a single character; a shorter text is a
single gram. Its hash is SplitMix64's finaliser of a polynomial over the code points modulo 2^64.
"""

import numpy as np

from authbench.core.arrays import U8, U64
from authbench.core.runtime.jit import compiled

u64 = np.uint64

BASE = u64(0x9FB21C651E98DF25)


@compiled
def _finish(h: np.uint64) -> np.uint64:
    h = (h ^ (h >> u64(30))) * u64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> u64(27))) * u64(0x94D049BB133111EB)
    return h ^ (h >> u64(31))


@compiled
def hash_grams(data: U8, start: int, end: int, length: int, hashes: U64) -> int:
    """Write the hashes of the grams of the UTF-8 text `data[start:end]` and return their number.

    The text has at most `end - start + 1` grams.

    Args:
        data: shape (bytes,), UTF-8.
        start: start of the text in `data`.
        end: its end.
        length: characters of a gram.
        hashes: filled from the front.
    """
    ring = np.empty(length, np.uint64)
    leaving = u64(1)
    for _ in range(length):
        leaving *= BASE
    h, count, gap, at = u64(0), 0, False, start
    while at < end:
        lead = u64(data[at])
        if lead < 0x80:
            point, size = lead, 1
        elif lead < 0xE0:
            point, size = lead & u64(0x1F), 2
        elif lead < 0xF0:
            point, size = lead & u64(0x0F), 3
        else:
            point, size = lead & u64(0x07), 4
        for k in range(1, size):
            point = (point << u64(6)) | u64(data[at + k] & 0x3F)
        at += size
        if point == 32 or 9 <= point <= 13:
            gap = count > 0
            continue
        for _ in range(2 if gap else 1):
            character = u64(32) if gap else point
            gap = False
            h = h * BASE + character
            if count >= length:
                h -= leaving * ring[count % length]
            ring[count % length] = character
            count += 1
            if count >= length:
                hashes[count - length] = _finish(h)
    if count < length:
        hashes[0] = _finish(h)
    return max(1, count - length + 1)


@compiled
def overlap(a: U64, b: U64, needed: float) -> int:
    """Return how many elements two sorted multisets share, or -1 as soon as they cannot share `needed`.

    Args:
        a: shape (n,), sorted hashes, repeated as often as they occur.
        b: shape (m,), likewise for the other text.
        needed: the least number of shared elements that matters.
    """
    spare_a, spare_b = len(a) - needed, len(b) - needed
    if spare_a < 0 or spare_b < 0:
        return -1
    i, j, count = 0, 0, 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            count += 1
            i += 1
            j += 1
        elif a[i] < b[j]:
            i += 1
            if i - count > spare_a:
                return -1
        else:
            j += 1
            if j - count > spare_b:
                return -1
    return count
