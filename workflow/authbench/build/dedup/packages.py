"""Sign and link texts by datasketch itself: what `minhash` and `links` compute, for the backend `packages`."""

from collections.abc import Iterable, Iterator

import numpy as np
import polars as pl

from authbench.build.dedup.minhash import SEED
from authbench.build.dedup.settings import SKETCH_BITS
from authbench.build.dedup.shingle_kernels import BASE, GOLDEN
from authbench.core.arrays import I32, I64, U8, U32, U64

AT_ONCE = 1 << 14  # elements of a text that are permuted together: 8 MB for 128 permutations


def signatures(texts: pl.Series, permutations: U32, shingle_chars: int) -> tuple[U32, U32]:
    """Return what `minhash.signatures` does, by `datasketch.MinHash`."""
    from datasketch import MinHash

    empty = MinHash(permutations=permutations, num_perm=permutations.shape[1], hashfunc=int, scheme="affine32")
    values, sizes = np.empty((len(texts), permutations.shape[1]), np.uint32), np.empty(len(texts), np.uint32)
    for row, text in enumerate(texts):
        signed, elements = empty.copy(), _elements(text, shingle_chars)
        for start in range(0, len(elements), AT_ONCE):
            signed.update_batch(elements[start : start + AT_ONCE])
        values[row], sizes[row] = signed.hashvalues, len(elements)
    return values, sizes


def _elements(text: str, length: int) -> U32:
    """Return the hashes of a text's elements, as `minhash.signatures` defines them."""
    points = np.frombuffer(" ".join(text.split()).encode("utf-32-le"), "<u4").astype(np.uint64)
    count = max(1, len(points) - length + 1)
    hashes = np.zeros(count, np.uint64)
    for place in range(min(length, len(points))):
        hashes = hashes * BASE + points[place : place + count]
    hashes = _mix(hashes, (33, 0xFF51AFD7ED558CCD, 33, 0xC4CEB9FE1A85EC53, 33))
    earlier: U64 = pl.select(hash=hashes).select(pl.int_range(pl.len(), dtype=pl.UInt64).over("hash")).to_numpy()[:, 0]
    return (hashes + earlier * GOLDEN >> np.uint64(32)).astype(np.uint32)


def _mix(values: np.ndarray, steps: tuple[int, ...]) -> np.ndarray:
    """Apply MurmurHash3's finaliser: shifts, and factors between them."""
    for number, step in enumerate(steps):
        by = values.dtype.type(step)
        values = values * by if number % 2 else values ^ (values >> by)
    return values


def band_hashes(values: U32, bands: int, rows: int) -> U32:
    """Return each band of each signature, shape (bands, texts, rows): datasketch compares bands as they are."""
    return values[:, : bands * rows].reshape(len(values), bands, rows).swapaxes(0, 1)


def sketches(values: U32) -> U64:
    """Return what `minhash.sketches` does."""
    bits = _mix(values[:, :SKETCH_BITS], (16, 0x85EBCA6B, 13, 0xC2B2AE35, 16)) & np.uint32(1)
    words = np.zeros((len(values), SKETCH_BITS // 8), np.uint8)
    packed: U8 = np.packbits(bits.astype(np.uint8), axis=1, bitorder="little")
    words[:, : packed.shape[1]] = packed
    return words.view("<u8").astype(np.uint64)


def components(bands: Iterable[U32], rows: I64, sketches: U64, apart: int, widest: int) -> I32:
    """Return the first document of each document's component; `links.link` defines components.

    Texts share a bucket of `datasketch.MinHashLSH`. Memory: 1.4 kB per document.

    Args:
        bands: values of each band, shape (documents, rows of a band).
        rows: shape (n,), the documents to link.
        sketches: shape (documents, 2).
        apart: bits in which two sketches may differ.
        widest: a bucket of more documents is joined as a whole.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ends = [np.empty((2, 0), np.int64)]
    for bucket in (bucket for band in bands for bucket in _buckets(band[rows], rows)):
        if len(bucket) > widest:
            ends.append(np.stack([bucket[:-1], bucket[1:]]))
        else:
            bits = np.bitwise_count(sketches[bucket, None] ^ sketches[bucket]).sum(axis=2)
            ends.append(bucket[np.stack(np.nonzero(np.tril(bits <= apart, -1)))])
    one, other = np.concatenate(ends, axis=1)
    graph = coo_array((np.ones(len(one), np.bool_), (one, other)), shape=(len(sketches), len(sketches)))
    labels = connected_components(graph, directed=False)[1]
    _, first, component = np.unique(labels, return_index=True, return_inverse=True)
    return first[component].astype(np.int32)


def _buckets(values: U32, rows: I64) -> Iterator[I64]:
    """Yield the documents, ascending, of each bucket of a band that has several."""
    from datasketch import LeanMinHash, MinHashLSH

    width = values.shape[1]
    index = MinHashLSH(num_perm=2 * width, params=(2, width))  # it refuses a single band: the band counts twice
    signed = [LeanMinHash(seed=SEED, hashvalues=twice, scheme="affine32") for twice in np.tile(values, 2)]
    for row, one in zip(rows.tolist(), signed, strict=True):
        index.insert(row, one)
    seen = set[int]()
    for row, one in zip(rows.tolist(), signed, strict=True):
        if row not in seen:
            bucket = index.query(one)
            seen.update(bucket)
            if len(bucket) > 1:
                yield np.sort(bucket)
