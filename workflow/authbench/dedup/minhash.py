"""Which short signature do near copies share?

MinHash over the multiset of a text's shingles: its elements are (shingle, occurrence number), so that two texts
which repeat one shingle differently often differ. The permutations are datasketch's (scheme `affine32`), and a
signature equals `datasketch.MinHash` over the same element hashes.
"""

import numpy as np
import polars as pl
from datasketch import MinHash

from authbench.dedup import kernels
from authbench.dedup.arrays import U32, U64
from authbench.dedup.shingles import utf8

SCHEME = "affine32"


def permutations(count: int) -> tuple[U32, U32]:
    """datasketch's first `count` permutations, `h -> a * h + b` modulo 2^32, as the arrays a and b."""
    a, b = MinHash(num_perm=count, scheme=SCHEME).permutations
    return np.ascontiguousarray(a, np.uint32), np.ascontiguousarray(b, np.uint32)


def signatures(texts: pl.Series, count: int, shingle_chars: int) -> tuple[U32, U32]:
    """MinHash signatures (texts x count) and the numbers of shingles.

    The hash of an element is the upper half of `h + k * 0x9E3779B97F4A7C15` modulo 2^64, where h is the hash of
    the shingle and k = 0, 1, ... the number of times it occurred before in the text.
    """
    data, offsets = utf8(texts)
    a, b = permutations(count)
    values, sizes = np.empty((len(texts), count), np.uint32), np.empty(len(texts), np.uint32)
    kernels.sign(data, offsets, shingle_chars, a, b, values, sizes)
    return values, sizes


def band_hashes(values: U32, bands: int, rows: int) -> U64:
    """One hash per band and signature (bands x texts): signatures equal in a band's rows have it in common."""
    hashes = np.empty((bands, len(values)), np.uint64)
    kernels.hash_bands(values, rows, hashes)
    return hashes
