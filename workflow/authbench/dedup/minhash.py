"""Which short signature do near copies share?

MinHash over the multiset of a text's shingles: its elements are (shingle, occurrence number), so that two texts
which repeat one shingle differently often differ. The permutations are those of datasketch 2 (scheme `affine32`,
seed 1), and a signature equals `datasketch.MinHash` over the same element hashes; a test compares them.
"""

import numpy as np
import polars as pl

from authbench.arrays import U32, U64
from authbench.dedup import shingle_kernels
from authbench.dedup.settings import SKETCH_BITS
from authbench.dedup.shingles import utf8

SEED = 1


def permutations(count: int) -> tuple[U32, U32]:
    """The first `count` permutations, `h -> a * h + b` modulo 2^32, as the arrays a (odd) and b.

    They are made as datasketch makes them; to import it takes longer than to sign ten thousand texts.
    """
    chance = np.random.RandomState(SEED)
    a = chance.randint(0, 1 << 31, count, np.uint32) * np.uint32(2) + np.uint32(1)
    return a, chance.randint(0, 1 << 32, count, np.uint32)


def signatures(texts: pl.Series, count: int, shingle_chars: int) -> tuple[U32, U32]:
    """MinHash signatures (texts x count) and the numbers of shingles.

    The hash of an element is the upper half of `h + k * 0x9E3779B97F4A7C15` modulo 2^64, where h is the hash of
    the shingle and k = 0, 1, ... the number of times it occurred before in the text.
    """
    data, offsets = utf8(texts)
    a, b = permutations(count)
    values, sizes = np.empty((len(texts), count), np.uint32), np.empty(len(texts), np.uint32)
    shingle_kernels.sign(data, offsets, shingle_chars, a, b, values, sizes)
    return values, sizes


def band_hashes(values: U32, bands: int, rows: int) -> U64:
    """One hash per band and signature (bands x texts): signatures equal in a band's rows have it in common."""
    hashes = np.empty((bands, len(values)), np.uint64)
    shingle_kernels.hash_bands(values, rows, hashes)
    return hashes


def sketches(values: U32) -> U64:
    """One bit of each value of a signature, of the first SKETCH_BITS (texts x 2 words): enough to tell strangers."""
    words = np.zeros((len(values), SKETCH_BITS // 64), np.uint64)
    shingle_kernels.sketch(values, min(values.shape[1], SKETCH_BITS), words)
    return words
