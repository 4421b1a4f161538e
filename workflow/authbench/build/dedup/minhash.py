"""Compute MinHash signatures of texts, and the bands and sketches derived from them.

A text is a multiset of shingles; its elements are (shingle, occurrence number), so texts that repeat a shingle a
different number of times differ. A signature equals that of `datasketch.MinHash` over the same element hashes.
"""

import numpy as np
import polars as pl

from authbench.build.dedup import shingle_kernels
from authbench.build.dedup.settings import SKETCH_BITS
from authbench.core.arrays import U32, U64
from authbench.core.text_bytes import utf8

SEED = 1


def draw_permutations(count: int) -> U32:
    """Return `count` permutations h -> a * h + b modulo 2^32 of 32-bit hashes, by datasketch's scheme `affine32`.

    Returns:
        shape (2, count), uint32: the odd factors a, and the terms b.
    """
    from datasketch import MinHash  # takes half a second

    return np.asarray(MinHash(num_perm=count, seed=SEED, scheme="affine32").permutations, np.uint32)


def signatures(texts: pl.Series, permutations: U32, shingle_chars: int) -> tuple[U32, U32]:
    """Return MinHash signatures and numbers of shingles.

    The hash of an element is the upper half of `h + k * 0x9E3779B97F4A7C15` modulo 2^64, where h is the hash of the
    shingle and k = 0, 1, ... the number of its earlier occurrences in the text.

    Args:
        texts: strings without nulls.
        permutations: shape (2, count), from `draw_permutations`.
        shingle_chars: characters per shingle.

    Returns:
        Signatures of shape (texts, count), and sizes of shape (texts,), both uint32.
    """
    data, offsets = utf8(texts)
    factors, terms = permutations
    values, sizes = np.empty((len(texts), len(factors)), np.uint32), np.empty(len(texts), np.uint32)
    shingle_kernels.sign(data, offsets, shingle_chars, factors, terms, values, sizes)
    return values, sizes


def band_hashes(values: U32, bands: int, rows: int) -> U64:
    """Return a hash of each band of each signature, shape (bands, texts): equal where the band's rows are equal."""
    hashes = np.empty((bands, len(values)), np.uint64)
    shingle_kernels.hash_bands(values, rows, hashes)
    return hashes


def sketches(values: U32) -> U64:
    """Return a bit of each of the first SKETCH_BITS values of a signature, shape (texts, SKETCH_BITS / 64).

    Source: Li and König 2010, b-bit minwise hashing with b = 1.
    """
    words = np.zeros((len(values), SKETCH_BITS // 64), np.uint64)
    shingle_kernels.sketch(values, min(values.shape[1], SKETCH_BITS), words)
    return words
