"""Which long texts of different origins contain much of each other?

An excerpt, an abridged edition, or two chunks of two editions cut at different places are not similar as wholes.
They share long runs of characters: the measure is the share of the smaller text's distinct 24-character shingles
that the other has too. White space is folded, so that line breaks do not matter.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl

from authbench.dedup.arrays import F64, I32, I64, U64

SAMPLE = 8  # one shingle in 8, chosen by its hash, takes part in the search for candidates
BLOCK_CHARS = 1 << 24  # of text whose shingles are held at once: 128 MB, twice
TEXTS_AT_ONCE = 1_000


@dataclass(frozen=True)
class ContainmentSettings:
    """The `split.containment` section of the configuration."""

    shingle_chars: int = 24
    share: float = 0.3
    min_chars: int = 500


def contained_pairs(documents: pl.DataFrame, settings: ContainmentSettings) -> pl.DataFrame:
    """Pairs of texts of different origins that share much: frame(a, b, share) with a < b, sorted.

    `documents` holds `doc_key`, `origin_id` and `content`; texts under `min_chars` characters take no part.
    `share` is verified on all distinct shingles of both. Candidates come from a sample of the shingles chosen by
    hash, the same in every text: a pair exactly at the share is missed with probability about 0.001, one well
    above it never. Memory: four bytes per character of the long texts, and two blocks of shingles.
    """
    from authbench.dedup import kernels

    long = documents.filter(pl.col("content").str.len_chars() >= settings.min_chars).sort("doc_key")
    origin = long["origin_id"].rank("dense").to_numpy().astype(np.int64)
    sampled, ends = _sample(long["content"], settings.shingle_chars)
    by_hash = np.argsort(sampled, kind="stable")
    repeats = sampled[by_hash][1:] == sampled[by_hash][:-1]
    previous = np.full(len(sampled), -1, np.int64)
    previous[by_hash[1:][repeats]] = by_hash[:-1][repeats]
    owner = np.repeat(np.arange(long.height, dtype=np.int32), np.diff(ends))
    earlier, later = kernels.sample_overlaps(previous, owner, ends, origin, settings.share)

    share = _shares(long["content"], earlier, later, settings.shingle_chars)
    enough = share >= settings.share
    keys = long["doc_key"]
    return pl.DataFrame(
        {"a": keys.gather(earlier[enough]), "b": keys.gather(later[enough]), "share": share[enough]}
    ).sort("a", "b")


def _shares(texts: pl.Series, earlier: I32, later: I32, length: int) -> F64:
    """The share of each pair (earlier < later), comparing one block of texts with another at a time."""
    from authbench.dedup import kernels

    share = np.zeros(len(earlier))
    asked = np.unique(np.concatenate([earlier, later]))
    block = np.zeros(len(texts), np.int64)
    block[asked] = np.cumsum(texts.gather(asked).str.len_chars().to_numpy(), dtype=np.int64) // BLOCK_CHARS
    pairs = np.stack([block[earlier], block[later]], axis=1)
    for one in np.unique(pairs[:, 0]):
        mine = asked[block[asked] == one]
        my_hashes, my_ends = _distinct(texts.gather(mine), length)
        for other in np.unique(pairs[pairs[:, 0] == one, 1]):
            theirs = asked[block[asked] == other]
            hashes, ends = (my_hashes, my_ends) if one == other else _distinct(texts.gather(theirs), length)
            chosen = np.flatnonzero((pairs[:, 0] == one) & (pairs[:, 1] == other))
            share[chosen] = kernels.shares_of_smaller(
                my_hashes,
                my_ends,
                np.searchsorted(mine, earlier[chosen]),
                hashes,
                ends,
                np.searchsorted(theirs, later[chosen]),
            )
    return share


def _distinct(texts: pl.Series, length: int) -> tuple[U64, I64]:
    """Each text's distinct shingles, sorted, one text after another, and their ends."""
    from authbench.dedup.shingles import shingle_hashes

    hashes, ends = shingle_hashes(texts, length)
    parts = []
    for begin, end in pairwise(ends.tolist()):
        own = np.sort(hashes[begin:end])  # np.unique takes three times as long
        parts.append(own[np.diff(own, prepend=~own[:1]) != 0])
    return np.concatenate(parts), np.cumsum([0, *map(len, parts)], dtype=np.int64)


def _sample(texts: pl.Series, length: int) -> tuple[U64, I64]:
    """Each text's distinct shingles whose hash is a multiple of SAMPLE, one after another, and their ends."""
    from authbench.dedup.shingles import shingle_hashes

    chosen, counts = [np.empty(0, np.uint64)], [0]
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        hashes, ends = shingle_hashes(texts[start : start + TEXTS_AT_ONCE], length)
        for begin, end in pairwise(ends.tolist()):
            own = hashes[begin:end]
            chosen.append(np.unique(own[own % np.uint64(SAMPLE) == 0]))
            counts.append(len(chosen[-1]))
    return np.concatenate(chosen), np.cumsum(counts, dtype=np.int64)
