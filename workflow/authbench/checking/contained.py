"""Find long texts of different origins that share much of their text, by an exact search.

The measure is the share of the smaller text's distinct grams (of 24 characters by default) that also occur in the
other.
"""

from collections import OrderedDict

import numpy as np
import polars as pl

from authbench.arrays import F64, I64, U8, U64
from authbench.settings.split import Containment

_COMMON = 100  # texts; a passage in more texts than this is not evidence that two texts belong together
_WIDEST = 50  # texts; passages in at most this many lead to pairs
_PART = 1 << 26  # grams that are counted at once, in 64 MB
_KEPT = 1 << 23  # grams of compared texts that are kept for further comparisons: 64 MB


def contained_texts(
    ids: pl.Series, texts: pl.Series, origins: pl.Series, settings: Containment, every_passage: bool = False
) -> pl.DataFrame:
    """Return pairs of long texts of different origins whose share of grams reaches the threshold of the settings.

    When pairs are searched, passages in more than 100 texts are ignored on both sides, and passages in more than 50
    texts count only towards the size of a text. The splits search in the same way, so the check reports no pair that
    they passed over. With `every_passage`, all passages count. The share itself is computed over all grams. The search
    is exact: grams are counted range by range and never sampled.
    Memory: a table of 64 MB, and 30 bytes for each gram in several texts.

    Returns:
        frame(a, b, share) with a < b, sorted.
    """
    from authbench.checking import contained_kernels
    from authbench.text_bytes import utf8

    long = (texts.str.len_chars() >= settings["min_chars"]).arg_true()
    ids, texts = ids.gather(long), texts.gather(long)
    origin = origins.gather(long).rank("dense").to_numpy().astype(np.int64)
    data, offsets = utf8(texts)
    number, length = len(texts), settings["shingle_chars"]
    common, widest = (number, number) if every_passage else (_COMMON, _WIDEST)
    sizes, repeats, too_common = (np.zeros(number, np.int64) for _ in range(3))
    parts = 1 + int(offsets[-1] - offsets[0]) // _PART
    members, ends, shared = [np.empty(0, np.int32)], [np.zeros(1, np.int64)], 0
    for part in range(parts):
        counts = np.zeros(_table_size(int(offsets[-1] - offsets[0]) // parts), np.uint8)
        hashes, owner = contained_kernels.collect_part(data, offsets, length, parts, part, counts, sizes)
        del counts
        left = contained_kernels.leave_repeated(hashes, owner, np.zeros(_table_size(len(hashes)), np.uint8))
        hashes, owner = hashes[:left], owner[:left]
        order = np.argsort(hashes, kind="stable")
        some, their_ends = contained_kernels.group_part(hashes, owner, order, common, widest, repeats, too_common)
        members.append(some)
        ends.append(their_ends[1:] + shared)
        shared += len(some)
    least = sizes - repeats - too_common
    one, other = contained_kernels.pairs_that_share(
        np.concatenate(members), np.concatenate(ends), origin, least, settings["share"]
    )
    share = _shares(data, offsets, one, other, length)
    enough = share >= settings["share"]
    pairs = pl.DataFrame({"a": ids.gather(one[enough]), "b": ids.gather(other[enough]), "share": share[enough]})
    return pairs.select(pl.min_horizontal("a", "b").alias("a"), pl.max_horizontal("a", "b").alias("b"), "share").sort(
        "a", "b"
    )


def _table_size(grams: int) -> int:
    """Return the bytes of a table with at least four counters per gram, four counters in a byte: a power of two."""
    size = 1 << 12
    while size < grams:
        size *= 2
    return size


def _shares(data: U8, offsets: I64, one: I64, other: I64, length: int) -> F64:
    """Return the share of each pair; at most `_KEPT` grams of texts that are compared again are kept."""
    from authbench.checking import contained_kernels, gram_kernels

    kept: OrderedDict[int, U64] = OrderedDict()
    buffered = 0

    def grams(text: int) -> U64:
        nonlocal buffered
        if text in kept:
            kept.move_to_end(text)
            return kept[text]
        kept[text] = contained_kernels.distinct_grams(data, int(offsets[text]), int(offsets[text + 1]), length)
        buffered += len(kept[text])
        while buffered > _KEPT and len(kept) > 1:
            buffered -= len(kept.popitem(last=False)[1])
        return kept[text]

    share = np.empty(len(one))
    for place, (a, b) in enumerate(zip(one.tolist(), other.tolist(), strict=True)):
        mine, theirs = grams(a), grams(b)
        share[place] = gram_kernels.overlap(mine, theirs, 0.0) / min(len(mine), len(theirs))
    return share
