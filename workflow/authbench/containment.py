"""Which long texts of different origins contain much of each other?

An excerpt, an abridged edition, or two chunks of two editions cut at different places are not similar as wholes.
They share long runs of characters: the measure is the share of the smaller text's distinct 24-character shingles
that the other has too. White space is folded, so that line breaks do not matter.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl

from authbench.arrays import I64, U64

SAMPLE = 16  # one shingle in 16, chosen by its hash, takes part in the search for candidates
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
    hash, the same in every text: at the default settings a pair exactly at the share and the least length is
    missed with probability about 10^-4, larger ones less. Memory: 16 bytes per 16 characters, plus two texts.
    """
    from authbench import kernels

    long = documents.filter(pl.col("content").str.len_chars() >= settings.min_chars).sort("doc_key")
    origin = long["origin_id"].rank("dense").to_numpy().astype(np.int64)
    sampled, ends = _sample(long["content"], settings.shingle_chars)
    by_hash = np.argsort(sampled, kind="stable")
    repeats = sampled[by_hash][1:] == sampled[by_hash][:-1]
    previous = np.full(len(sampled), -1, np.int64)
    previous[by_hash[1:][repeats]] = by_hash[:-1][repeats]
    owner = np.repeat(np.arange(long.height, dtype=np.int32), np.diff(ends))
    earlier, later = kernels.sample_overlaps(previous, owner, ends, origin, settings.share)

    rows, at, mine = [], -1, np.empty(0, np.uint64)
    by_earlier = np.lexsort((later, earlier))
    for a, b in zip(earlier[by_earlier].tolist(), later[by_earlier].tolist(), strict=True):
        if a != at:
            at, mine = a, _distinct(long["content"][a], settings.shingle_chars)
        theirs = _distinct(long["content"][b], settings.shingle_chars)
        share = kernels.shared(mine, theirs) / min(len(mine), len(theirs))
        if share >= settings.share:
            rows.append((long["doc_key"][a], long["doc_key"][b], share))
    return pl.DataFrame(rows, schema={"a": pl.String, "b": pl.String, "share": pl.Float64}, orient="row")


def _distinct(text: str, length: int) -> U64:
    from authbench.shingles import shingle_hashes

    hashes: U64 = np.sort(shingle_hashes(pl.Series([text]), length)[0])  # np.unique takes three times as long
    distinct: U64 = hashes[np.diff(hashes, prepend=~hashes[:1]) != 0]
    return distinct


def _sample(texts: pl.Series, length: int) -> tuple[U64, I64]:
    """Each text's distinct shingles whose hash is a multiple of SAMPLE, one after another, and their ends."""
    from authbench.shingles import shingle_hashes

    chosen, counts = [np.empty(0, np.uint64)], [0]
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        hashes, ends = shingle_hashes(texts[start : start + TEXTS_AT_ONCE], length)
        for begin, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
            own = hashes[begin:end]
            chosen.append(np.unique(own[own % np.uint64(SAMPLE) == 0]))
            counts.append(len(chosen[-1]))
    return np.concatenate(chosen), np.cumsum(counts, dtype=np.int64)
