"""Link documents that may be near copies of each other, directly or through others, into components.

Near copies share a bucket (the hash of a band) and have sketches that agree. Documents linked in this way form a
component; documents of different components are never compared.
"""

from collections.abc import Iterable

import numpy as np
import polars as pl

from authbench.build.dedup.settings import most_apart
from authbench.build.dedup.shards import pack
from authbench.config.settings.dedup import Comparison
from authbench.config.settings.values import Backend
from authbench.core.arrays import I32, I64, U32, U64

WIDEST = 1_000  # a bucket with more documents is linked completely: its pairs would be too many to compare


def unlinked(count: int) -> I32:
    """Return `count` documents in separate components: each points at itself. Shape (count,)."""
    return np.arange(count, dtype=np.int32)


def link(
    bands: Iterable[np.ndarray], rows: I64, sketches: U64, settings: Comparison, backend: Backend = "kernels"
) -> pl.DataFrame:
    """Return the fewest links between the documents at `rows` that share a bucket and agree in their sketches.

    Memory: 24 bytes more per document.

    Args:
        bands: hashes of each band, shape (documents,); of the backend `packages` its values, (documents, rows).
        rows: shape (n,), the documents to link.
        sketches: shape (documents, 2).
        settings: the threshold decides how many bits of two sketches may differ.
        backend: what finds the buckets.

    Returns:
        frame(document, root), where root is the first document of its component.
    """
    from authbench.build.dedup import packages, pair_kernels

    apart = most_apart(settings)
    if backend == "packages":
        component = packages.components(bands, rows, sketches, apart, WIDEST)
    else:
        component = unlinked(len(sketches))
        for hashes in bands:
            pair_kernels.unite_buckets(*pack(hashes, rows), sketches, apart, WIDEST, component)
        pair_kernels.find_roots(component)
    linked = np.flatnonzero(component != unlinked(len(component))).astype(np.int32)
    return pl.DataFrame({"document": linked, "root": component[linked]})


def components(count: int, links: Iterable[pl.DataFrame]) -> I32:
    """Return for each of `count` documents the first of its component, by all links (frames from `link`).

    Returns:
        Shape (count,).
    """
    from authbench.build.dedup import pair_kernels

    component = unlinked(count)
    for some in links:
        pair_kernels.unite(component, some["document"].to_numpy(), some["root"].to_numpy())
    pair_kernels.find_roots(component)
    return component


def members(component: I32) -> I64:
    """Return the documents of components with more than one document, sorted by component (the root of each)."""
    rows = np.flatnonzero(np.bincount(component, minlength=1)[component] > 1)
    return rows[np.argsort(component[rows], kind="stable")]


def share_of_work(component: I32, sizes: U32, part: int, parts: int) -> slice:
    """Return one of `parts` even shares of complete components, of documents sorted by component.

    A component belongs to the share that contains its first document, counting shingles.

    Args:
        component: shape (documents,), the root of each.
        sizes: shape (documents,), shingles.
        part: the share, from 0.
        parts: the number of shares.
    """
    ends = np.cumsum(sizes, dtype=np.int64)
    opens = np.flatnonzero(np.diff(component, prepend=-1))
    share = (ends[opens] - sizes[opens]) * parts // max(int(ends[-1]), 1) if len(ends) else ends
    bounds = [*opens.tolist(), len(component)]
    return slice(bounds[int(np.searchsorted(share, part))], bounds[int(np.searchsorted(share, part + 1))])
