"""Compiled loops of the search for similar texts.

Two texts with n <= m grams and a similarity (multiset Jaccard) of t share at least t / (1 + t) * (n + m) grams, so n >=
t * m, and at most (1 - t) / (1 + t) * (n + m) grams of either lack a partner. Both bounds are exact filters. The second
is tested on bitmaps (Sandes, Teodoro, Melo: Bitmap filter, Information Systems 2020), which take a few nanoseconds a
pair. Pairs that pass are tested on wider bitmaps, then compared gram by gram.
"""

import numpy as np

from authbench.arrays import F64, I64, U8, U64
from authbench.checking.gram_kernels import hash_grams, overlap
from authbench.runtime.jit import compiled

u64 = np.uint64
SLACK = 1e-6  # against rounding, on the side of comparing
BITS_PER_GRAM, WIDE = 1.5, 16.0  # at least


@compiled
def count_grams(data: U8, offsets: I64, length: int, sizes: I64) -> None:
    """Write the number of grams of each text to `sizes`.

    Args:
        data: UTF-8 bytes; text d is `data[offsets[d]:offsets[d + 1]]`.
        offsets: shape (texts + 1,).
        length: characters of a gram.
        sizes: shape (texts,); written.
    """
    for d in range(len(offsets) - 1):
        characters, gap = 0, False
        for at in range(offsets[d], offsets[d + 1]):
            if data[at] == 32 or 9 <= data[at] <= 13:
                gap = characters > 0
            elif (data[at] & 0xC0) != 0x80:
                characters += 2 if gap else 1
                gap = False
        sizes[d] = max(1, characters - length + 1)


@compiled
def _words(n: int, bits_per_gram: float) -> int:
    """Return the length of the bitmap of a text with n grams: a power of two."""
    words = 2
    while 64 * words < bits_per_gram * n:
        words *= 2
    return words


@compiled
def _draw(hashes: U64, bitmap: U64) -> None:
    """Set each of the 2^k bits, one per class of grams, where the text has an odd number of them."""
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
def _differ_in_more(a: U64, b: U64, most: float) -> bool:
    """Return whether two texts certainly have more than `most` grams that the other lacks.

    Where their bitmaps (`len(a) <= len(b)`) differ, a gram of the class lacks its partner. The longer bitmap is folded
    to the length of the other.
    """
    count = 0
    for i in range(len(a)):
        word = a[i] ^ b[i]
        for k in range(i + len(a), len(b), len(a)):
            word ^= b[k]
        word -= (word >> u64(1)) & u64(0x5555555555555555)
        word = (word & u64(0x3333333333333333)) + ((word >> u64(2)) & u64(0x3333333333333333))
        word = (word + (word >> u64(4))) & u64(0x0F0F0F0F0F0F0F0F)
        count += int((word * u64(0x0101010101010101)) >> u64(56))
        if count > most:
            return True
    return False


@compiled
def join(
    data: U8,
    offsets: I64,
    length: int,
    order: I64,
    sizes: I64,
    part: I64,
    bitmaps: U64,
    bitmap_starts: I64,
    threshold_within: float,
    threshold_across: float,
    most: int,
    room: int,
) -> tuple[I64, I64, F64, int]:
    """Return pairs of texts (positions in the order, the earlier first) that are similar enough, and their similarity.

    Earlier texts are compared from the nearest in size on, until `most` similar ones are found.

    Args:
        data: UTF-8 bytes; text d is `data[offsets[d]:offsets[d + 1]]`.
        offsets: shape (texts + 1,).
        length: characters of a gram.
        order: shape (texts,), rows of texts by size.
        sizes: shape (texts,), grams of each, in that order.
        part: shape (texts,), a number for the part of each, in that order.
        bitmaps, bitmap_starts: from `draw_bitmaps`.
        threshold_within: for texts of one part.
        threshold_across: for others.
        most: similar texts of a text.
        room: words kept for texts that are compared again (more if a single text takes more).

    Returns:
        Three arrays of shape (pairs,), and the number of pairs that were compared gram by gram.
    """
    texts = len(order)
    lowest = min(threshold_within, threshold_across)
    shared_within = threshold_within / (1.0 + threshold_within)
    shared_across = threshold_across / (1.0 + threshold_across)

    arena, arena_end = np.empty(room, np.uint64), 0
    kept_at, kept, n_kept = np.full(texts, -1, np.int64), np.empty(texts, np.int64), 0
    hashes, my_wide = np.empty(1, np.uint64), np.empty(1, np.uint64)

    earlier, later, similarity = np.empty(64, np.int64), np.empty(64, np.int64), np.empty(64, np.float64)
    found, compared, first = 0, 0, 0
    for r in range(texts):
        m = sizes[r]
        while sizes[first] < lowest * m - SLACK:
            first += 1
        in_order, hits = False, 0
        mine = bitmaps[bitmap_starts[r] : bitmap_starts[r + 1]]
        for x in range(r - 1, first - 1, -1):
            if hits == most:
                break
            n = sizes[x]
            within = part[x] == part[r]
            needed = (shared_within if within else shared_across) * (n + m) - SLACK
            if n < needed or _differ_in_more(
                bitmaps[bitmap_starts[x] : bitmap_starts[x + 1]], mine, n + m - 2.0 * needed
            ):
                continue
            if not in_order:
                begin, end = offsets[order[r]], offsets[order[r] + 1]
                if end - begin >= len(hashes):
                    hashes = np.empty(2 * (end - begin + 1), np.uint64)
                hash_grams(data, begin, end, length, hashes)
                my_wide = np.empty(_words(m, WIDE), np.uint64)
                _draw(hashes[:m], my_wide)
                hashes[:m].sort()
                in_order = True
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
                hash_grams(data, begin, end, length, arena[arena_end:])
                _draw(arena[arena_end : arena_end + n], arena[arena_end + n : arena_end + n + wide])
                arena[arena_end : arena_end + n].sort()
                arena_end += n + wide
            theirs = arena[kept_at[x] : kept_at[x] + n + wide]
            if _differ_in_more(theirs[n:], my_wide, n + m - 2.0 * needed):
                continue
            compared += 1
            count = overlap(theirs[:n], hashes[:m], needed)
            if count < 0:
                continue
            value = count / (n + m - count)
            if value >= (threshold_within if within else threshold_across):
                if found == len(earlier):
                    earlier = np.concatenate((earlier, np.empty_like(earlier)))
                    later = np.concatenate((later, np.empty_like(later)))
                    similarity = np.concatenate((similarity, np.empty_like(similarity)))
                earlier[found], later[found], similarity[found] = x, r, value
                found += 1
                hits += 1
    return earlier[:found], later[:found], similarity[:found], compared
