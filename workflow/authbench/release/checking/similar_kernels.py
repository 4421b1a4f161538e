"""Compiled loops of the search for similar texts.

Two texts with n <= m grams and a similarity (multiset Jaccard) of t share at least t / (1 + t) * (n + m) grams, so n >=
t * m, and at most (1 - t) / (1 + t) * (n + m) grams of either lack a partner. Both bounds are exact filters. The second
is tested on bitmaps (Sandes, Teodoro, Melo: Bitmap filter, Information Systems 2020), which take a few nanoseconds a
pair. Pairs that pass are tested on wider bitmaps, then compared gram by gram.

A third exact filter is the script, as equal grams begin with the same character. If more than p of each text's grams
begin in its main script, two texts of different main scripts share less than (1 - p) * (n + m) grams: too few for
p = 1 / (1 + t).
"""

from typing import NamedTuple

import numpy as np

from authbench.core.arrays import F64, I64, U8, U64
from authbench.core.runtime.jit import compiled
from authbench.core.runtime.jit_bits import ones
from authbench.release.checking.gram_kernels import hash_grams, overlap

u64 = np.uint64
SLACK = 1e-6  # against rounding, on the side of comparing
BITS_PER_GRAM, WIDE = 1.5, 16.0  # at least
MIXED, GROUPS = 0, 8  # texts without a main script, and the number of groups


class Texts(NamedTuple):
    """Texts by group and size.

    `data` and `offsets` are the UTF-8 bytes of all texts, of which `order` names the rows; `sizes` (grams) and `part`
    follow that order, as do `bitmaps`, from `starts[r]` to `starts[r + 1]`. `groups` has the first text of each group.
    """

    data: U8
    offsets: I64
    order: I64
    sizes: I64
    part: I64
    groups: I64
    bitmaps: U64
    starts: I64


class Limits(NamedTuple):
    """Thresholds for texts of one part and of different parts, characters of a gram, and similar texts of a text."""

    within: float
    across: float
    length: int
    most: int


@compiled
def _script(lead: int) -> int:
    """Return the group of a character by its first byte; any function gives the same pairs.

    1 is Latin, 2 Cyrillic, 3 Arabic, 4 Indic, 6 Chinese and Japanese, 7 Korean.
    """
    if lead < 0xE0:
        return 1 if lead < 0xCC else 2 if lead < 0xD4 else 3
    if lead < 0xE3:
        return 4 if lead == 0xE0 else 5
    return 6 if lead < 0xEA else 7 if lead < 0xF0 else 5


@compiled
def count_grams(data: U8, offsets: I64, length: int, main: float, sizes: I64, groups: I64) -> None:
    """Write the number of grams of each text to `sizes`, and its main script to `groups`.

    Args:
        data: UTF-8 bytes; text d is `data[offsets[d]:offsets[d + 1]]`.
        offsets: shape (texts + 1,).
        length: characters of a gram.
        main: the share of its grams, at least half, that begin in the main script of a text; without a main script, a
            text is MIXED.
        sizes, groups: shape (texts,); written.
    """
    for d in range(len(offsets) - 1):
        characters, gap = 0, False
        counts = np.zeros(GROUPS, np.int64)
        for at in range(offsets[d], offsets[d + 1]):
            if data[at] == 32 or 9 <= data[at] <= 13:
                gap = characters > 0
            elif (data[at] & 0xC0) != 0x80:
                characters += 2 if gap else 1
                counts[1] += gap
                counts[_script(data[at])] += 1
                gap = False
        sizes[d] = max(1, characters - length + 1)
        # The last characters begin no gram; as if each were of another script.
        most = np.argmax(counts)
        groups[d] = most if counts[most] - (characters - sizes[d]) > main * sizes[d] + SLACK else MIXED


@compiled
def _words(n: int, bits_per_gram: float) -> int:
    """Return the length of the bitmap of a text with n grams: a power of two."""
    words = 2
    while 64 * words < bits_per_gram * n:
        words *= 2
    return words


@compiled
def _draw(hashes: U64, bitmap: U64) -> None:
    """Set a bit for each of 2^k classes of grams: whether the text has an odd number of the class."""
    bitmap[:] = u64(0)
    mask = u64(64 * len(bitmap) - 1)
    for i in range(len(hashes)):
        bit = hashes[i] & mask
        bitmap[np.int64(bit >> u64(6))] ^= u64(1) << (bit & u64(63))


@compiled
def draw_bitmaps(data: U8, offsets: I64, length: int, order: I64, sizes: I64) -> tuple[U64, I64]:
    """Return bitmaps of the texts in the given order, concatenated, and the start of each.

    Args:
        data: UTF-8 bytes; text d is `data[offsets[d]:offsets[d + 1]]`.
        offsets: shape (texts + 1,).
        length: characters of a gram.
        order: shape (texts,), rows of texts.
        sizes: shape (texts,), grams of each, in that order.

    Returns:
        Shape (words,), and shape (texts + 1,).
    """
    starts = np.zeros(len(order) + 1, np.int64)
    for r in range(len(order)):
        starts[r + 1] = starts[r] + _words(sizes[r], BITS_PER_GRAM)
    bitmaps, hashes = np.empty(starts[len(order)], np.uint64), np.empty(1, np.uint64)
    for r in range(len(order)):
        begin, end = offsets[order[r]], offsets[order[r] + 1]
        if end - begin >= len(hashes):
            hashes = np.empty(2 * (end - begin + 1), np.uint64)
        n = hash_grams(data, begin, end, length, hashes)
        _draw(hashes[:n], bitmaps[starts[r] : starts[r + 1]])
    return bitmaps, starts


@compiled
def _folded(bitmap: U64, width: int) -> U64:
    """Return a bitmap for fewer classes, of `width` words: a power of two, at most its length."""
    folded = bitmap[:width].copy()
    for start in range(width, len(bitmap), width):
        folded ^= bitmap[start : start + width]
    return folded


@compiled
def _differences(bitmaps: U64, start: int, end: int, other: U64) -> int:
    """Return the number of bits in which two bitmaps differ: in each such class, a gram lacks its partner.

    The loop has neither an exit nor an offset, so it compiles to vector instructions.
    """
    count, bitmap = 0, bitmaps[start:end]
    for i in range(len(other)):
        count += ones(bitmap[i] ^ other[i])
    return count


@compiled
def _next_near(texts: Texts, limits: Limits, r: int, mine: U64, last: int, first: int) -> int:
    """Return the last text from `first` to `last` with a bitmap narrower than `mine`, or near it; else `first - 1`."""
    within, across = (1 - limits.within) / (1 + limits.within), (1 - limits.across) / (1 + limits.across)
    for x in range(last, first - 1, -1):
        start, end = texts.starts[x], texts.starts[x + 1]
        if end - start != len(mine):
            return x
        alone = within if texts.part[x] == texts.part[r] else across
        if _differences(texts.bitmaps, start, end, mine) <= alone * (texts.sizes[x] + texts.sizes[r]) + SLACK:
            return x
    return first - 1


@compiled
def _group_of_smallest(sizes: I64, nexts: I64, group_starts: I64) -> int:
    """Return the group whose next text is the smallest of all."""
    smallest = -1
    for group in range(GROUPS):
        at = nexts[group]
        if at < group_starts[group + 1] and (smallest < 0 or sizes[at] < sizes[nexts[smallest]]):
            smallest = group
    return smallest


@compiled
def join(texts: Texts, limits: Limits, room: int, worker: int, workers: int) -> tuple[I64, I64, F64, int]:
    """Return pairs of texts (positions in the order, the smaller first) that are similar enough, and their similarity.

    Smaller texts, group by group, are compared from the nearest in size on, until `limits.most` similar texts are
    found. Of several workers, each returns the pairs of some of the larger texts.

    Args:
        texts: the texts.
        limits: which are similar enough.
        room: words kept for texts that are compared again (more if a single text takes more).
        worker: number of this worker.
        workers: the number of workers.

    Returns:
        Three arrays of shape (pairs,), and the number of pairs that were compared gram by gram.
    """
    offsets, order, sizes = texts.offsets, texts.order, texts.sizes
    lowest = min(limits.within, limits.across)
    arena, arena_end = np.empty(room, np.uint64), 0
    kept_at, kept, n_kept = np.full(len(order), -1, np.int64), np.empty(len(order), np.int64), 0
    hashes, my_wide = np.empty(1, np.uint64), np.empty(1, np.uint64)

    earlier, later, similarity = np.empty(64, np.int64), np.empty(64, np.int64), np.empty(64, np.float64)
    found, compared = 0, 0
    firsts, nexts = texts.groups[:-1].copy(), texts.groups[:-1].copy()
    for text in range(len(order)):
        group = _group_of_smallest(sizes, nexts, texts.groups)
        r = nexts[group]
        if text % workers != worker:
            nexts[group] += 1
            continue
        m = sizes[r]
        in_order, hits = False, 0
        for other in range(GROUPS):
            if group != MIXED and other != MIXED and other != group:
                continue
            while firsts[other] < nexts[other] and sizes[firsts[other]] < lowest * m - SLACK:
                firsts[other] += 1
            mine = texts.bitmaps[texts.starts[r] : texts.starts[r + 1]]
            x = nexts[other]
            while hits < limits.most:
                x = _next_near(texts, limits, r, mine, x - 1, firsts[other])
                if x < firsts[other]:
                    break
                if texts.starts[x + 1] - texts.starts[x] < len(mine):
                    mine = _folded(mine, texts.starts[x + 1] - texts.starts[x])
                    x += 1
                    continue
                if not in_order:
                    begin, end = offsets[order[r]], offsets[order[r] + 1]
                    if end - begin >= len(hashes):
                        hashes = np.empty(2 * (end - begin + 1), np.uint64)
                    hash_grams(texts.data, begin, end, limits.length, hashes)
                    my_wide = np.empty(_words(m, WIDE), np.uint64)
                    _draw(hashes[:m], my_wide)
                    hashes[:m].sort()
                    in_order = True
                n = sizes[x]
                wide = _words(n, WIDE)
                if kept_at[x] < 0:
                    begin, end = offsets[order[x]], offsets[order[x] + 1]
                    taken = end - begin + 1 + wide
                    if taken > len(arena) - arena_end:
                        for i in range(n_kept):
                            kept_at[kept[i]] = -1
                        n_kept, arena_end = 0, 0
                        if taken > len(arena):
                            arena = np.empty(2 * taken, np.uint64)
                    kept_at[x], kept[n_kept] = arena_end, x
                    n_kept += 1
                    hash_grams(texts.data, begin, end, limits.length, arena[arena_end:])
                    _draw(arena[arena_end : arena_end + n], arena[arena_end + n : arena_end + n + wide])
                    arena[arena_end : arena_end + n].sort()
                    arena_end += n + wide
                theirs = arena[kept_at[x] : kept_at[x] + n + wide]
                threshold = limits.within if texts.part[x] == texts.part[r] else limits.across
                needed = threshold / (1 + threshold) * (n + m) - SLACK
                if _differences(theirs, n, n + wide, _folded(my_wide, wide)) > n + m - 2 * needed:
                    continue
                compared += 1
                count = overlap(theirs[:n], hashes[:m], needed)
                if count < 0:
                    continue
                value = count / (n + m - count)
                if value >= threshold:
                    if found == len(earlier):
                        earlier = np.concatenate((earlier, np.empty_like(earlier)))
                        later = np.concatenate((later, np.empty_like(later)))
                        similarity = np.concatenate((similarity, np.empty_like(similarity)))
                    earlier[found], later[found], similarity[found] = x, r, value
                    found += 1
                    hits += 1
        nexts[group] += 1
    return earlier[:found], later[:found], similarity[:found], compared
