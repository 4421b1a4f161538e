"""Find long texts of different origins that share much of their text.

An excerpt, an abridged edition, or two chunks of two editions cut at different places are not similar as wholes, but
they share long runs of characters. The measure is the share of the smaller text's distinct 24-character shingles that
the other text has too. White space is folded, so line breaks do not matter.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from authbench.config.settings.split import Containment
from authbench.core.arrays import F64, I32, I64, U64

SAMPLE = 8  # one shingle in 8, chosen by its hash, is used in the search for candidates
COMMON = 100  # texts; a passage in more texts than this is not evidence that two texts belong together
BLOCK_CHARS = 1 << 24  # of text whose shingles are in memory together: 128 MB, twice
TEXTS_AT_ONCE = 1_000


class Contained(NamedTuple):
    """`pairs`: frame(a, b, share); `common`: the number of texts with a passage too common for the search."""

    pairs: pl.DataFrame
    common: int


class _Occurrences(NamedTuple):
    """The sampled shingles that at least two texts have, and at most the maximum number of texts.

    `previous` is the last earlier position with the same shingle (-1: none) and `owner` its text, whose positions are
    `ends[d]:ends[d + 1]`; `sizes[d]` is the size of the text's sample without the shingles that are too common,
    `common[d]` their number.
    """

    previous: I64
    owner: I32
    ends: I64
    sizes: I64
    common: I64


def contained_pairs(documents: pl.DataFrame, settings: Containment, most: int = COMMON) -> Contained:
    """Return pairs of texts of different origins that share much: frame(a, b, share) with a < b, sorted.

    `documents` has `doc_key`, `origin_id` and `content`; texts under `min_chars` characters are left out. `share` is
    verified on all distinct shingles of both. Candidates come from a sample of the shingles chosen by hash, the same in
    every text: a pair exactly at the share is missed with probability about 0.001, a pair well above it never. Shingles
    in more than `most` texts (a licence, a disclaimer) give no candidates, since they would pair all these texts; each
    text therefore meets others at most `most` times per shingle.

    Memory: two bytes per character of the long texts and up to eight more for characters that others have too, two
    blocks of shingles, and twenty bytes per pair, of which a text has at most about four times `most`.
    """
    from authbench.build.dedup import overlaps

    long = documents.filter(pl.col("content").str.len_chars() >= settings["min_chars"]).sort("doc_key")
    origin = long["origin_id"].rank("dense").to_numpy().astype(np.int64)
    found = _occurrences(*_sample(long["content"], settings["shingle_chars"]), most)
    earlier, later = overlaps.sample_overlaps(
        found.previous, found.owner, found.ends, found.sizes, origin, settings["share"]
    )
    share = _shares(long["content"], earlier, later, settings["shingle_chars"])
    enough = share >= settings["share"]
    keys = long["doc_key"]
    pairs = pl.DataFrame(
        {"a": keys.gather(earlier[enough]), "b": keys.gather(later[enough]), "share": share[enough]}
    ).sort("a", "b")
    return Contained(pairs, int(np.count_nonzero(found.common)))


def _sample(texts: pl.Series, length: int) -> tuple[U64, I64]:
    """Return each text's distinct shingles whose hash is a multiple of SAMPLE, concatenated, and their ends."""
    from authbench.build.dedup import overlaps
    from authbench.build.dedup.shingles import shingle_hashes

    parts = [np.empty(0, np.uint64)]
    sizes = [np.zeros(1, np.int64)]
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        hashes, ends = shingle_hashes(texts[start : start + TEXTS_AT_ONCE], length)
        chosen, chosen_ends = np.empty_like(hashes), np.empty_like(ends)
        overlaps.sample(hashes, ends, SAMPLE, chosen, chosen_ends)
        parts.append(chosen[: chosen_ends[-1]].copy())
        sizes.append(np.diff(chosen_ends))
    return np.concatenate(parts), np.cumsum(np.concatenate(sizes))


def _occurrences(sampled: U64, ends: I64, most: int) -> _Occurrences:
    from authbench.build.dedup import overlaps

    texts = len(ends) - 1
    places = np.flatnonzero(overlaps.perhaps_repeated(sampled))
    owner = (np.searchsorted(ends, places, side="right") - 1).astype(np.int32)
    hashes = sampled[places]
    order = np.argsort(hashes, kind="stable")
    starts = np.flatnonzero(np.diff(hashes[order], prepend=~hashes[order][:1]))
    holders = np.empty(len(places), np.int64)
    holders[order] = np.repeat(np.diff(starts, append=len(places)), np.diff(starts, append=len(places)))

    common = np.bincount(owner[holders > most], minlength=texts)
    kept = (holders > 1) & (holders <= most)
    place = np.cumsum(kept) - 1
    order = order[kept[order]]
    repeats = hashes[order][1:] == hashes[order][:-1]
    previous = np.full(int(kept.sum()), -1, np.int64)
    previous[place[order[1:][repeats]]] = place[order[:-1][repeats]]
    counts = np.bincount(owner[kept], minlength=texts)
    return _Occurrences(previous, owner[kept], np.concatenate([[0], np.cumsum(counts)]), np.diff(ends) - common, common)


def _shares(texts: pl.Series, earlier: I32, later: I32, length: int) -> F64:
    """Return the share of each pair (earlier < later), comparing two blocks of texts at a time."""
    from authbench.build.dedup import overlaps

    share = np.zeros(len(earlier))
    compared = np.unique(np.concatenate([earlier, later]))
    block = np.zeros(len(texts), np.int64)
    block[compared] = np.cumsum(texts.gather(compared).str.len_chars().to_numpy(), dtype=np.int64) // BLOCK_CHARS
    pairs = np.stack([block[earlier], block[later]], axis=1)
    for one in np.unique(pairs[:, 0]):
        mine = compared[block[compared] == one]
        my_hashes, my_ends = _distinct(texts.gather(mine), length)
        for other in np.unique(pairs[pairs[:, 0] == one, 1]):
            theirs = compared[block[compared] == other]
            hashes, ends = (my_hashes, my_ends) if one == other else _distinct(texts.gather(theirs), length)
            chosen = np.flatnonzero((pairs[:, 0] == one) & (pairs[:, 1] == other))
            share[chosen] = overlaps.shares_of_smaller(
                my_hashes,
                my_ends,
                np.searchsorted(mine, earlier[chosen]),
                hashes,
                ends,
                np.searchsorted(theirs, later[chosen]),
            )
    return share


def _distinct(texts: pl.Series, length: int) -> tuple[U64, I64]:
    """Return each text's distinct shingles, sorted, concatenated over texts, and their ends."""
    from authbench.build.dedup.shingles import shingle_hashes

    hashes, ends = shingle_hashes(texts, length)
    parts = []
    for begin, end in pairwise(ends.tolist()):
        own = np.sort(hashes[begin:end])  # np.unique takes three times as long
        parts.append(own[np.diff(own, prepend=~own[:1]) != 0])
    return np.concatenate(parts), np.cumsum([0, *map(len, parts)], dtype=np.int64)
