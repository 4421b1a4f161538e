"""Verify near copies within components.

The true Jaccard similarity of multisets of shingles, J = |G(t) ∩ G(t')| / |G(t) ∪ G(t')|, is computed in a single pass
in corpus order: a document similar to an earlier document is removed, and later documents are not compared with it.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from authbench.build.dedup.settings import most_apart
from authbench.config.settings.dedup import Comparison
from authbench.core.arrays import F64, I32, I64, U32, U64

# The similarity texts of the documents at these rows of the compared table, in the same order.
Texts = Callable[[I64], Sequence[str] | pl.Series]

BLOCK_SHINGLES = 1 << 24  # 128 MB of hashes are kept in memory; a larger component uses a temporary file
SORTED_AT_ONCE = 1 << 21  # shingles of texts that are fetched together
DOCUMENT_OVERHEAD = 16  # memory of a document in addition to its shingles, counted in shingles
ALL = 2**62  # pairs
PAIRS = pl.Schema({"earlier": pl.Int64, "later": pl.Int64, "similarity": pl.Float64})


@dataclass(frozen=True)
class Work:
    """Counts of comparisons.

    Attributes:
        compared: pairs whose J was computed.
        curtailed: documents that were compared with fewer than possible.
    """

    compared: int = 0
    curtailed: int = 0

    def counts(self) -> dict[str, int]:
        return {"pairs_compared": self.compared, "comparisons_curtailed": self.curtailed}

    def __add__(self, other: "Work") -> "Work":
        return Work(self.compared + other.compared, self.curtailed + other.curtailed)


def compare_components(
    component: I32,
    sizes: U32,
    sketches: U64,
    texts: Texts,
    settings: Comparison,
    only_accepted: bool,
    near: float = 1.0,
    most_found: int = ALL,
) -> tuple[pl.DataFrame, Work]:
    """Return the verified pairs of near copies (PAIRS, by row of the table), and the counts of comparisons.

    Args:
        component: shape (documents,), the component of each document; documents are sorted by component, and within it
            in corpus order.
        sizes: shape (documents,), numbers of shingles.
        sketches: shape (documents, 2).
        texts: gives the similarity texts of documents.
        settings: threshold, shingle length and bounds of work.
        only_accepted: leave out pairs whose earlier document is a copy itself, and so not kept.
        near, most_found: a document's pairs are limited to the `most_found` nearest earlier documents, pairs that join
            documents that no other pair joins, and pairs of similarity `near` with a document that is not a copy
            itself.

    Raises:
        ValueError: the texts are not those that were signed.
    """
    from authbench.build.dedup import pair_kernels

    found, work = [PAIRS.to_frame()], Work()
    for block in comparison_blocks(component, sizes):
        hashes, ends = _sorted_shingles(block, sizes[block], texts, settings["shingle_chars"])
        earlier, later, similarity, compared, curtailed = pair_kernels.compare_with_earlier(
            component[block],
            pair_kernels.Signed(sketches[block], hashes, ends),
            settings["threshold"],
            most_apart(settings),
            settings["comparisons_per_document"],
            only_accepted,
            near,
            most_found,
        )
        found.append(_pairs(block.start + earlier, block.start + later, similarity))
        work += Work(compared, curtailed)
    return pl.concat(found), work


def comparison_blocks(component: I32, sizes: U32) -> Iterator[slice]:
    """Yield slices of complete components, as many together as BLOCK_SHINGLES allows, or a single larger component.

    Args:
        component: shape (documents,), the root of each; documents of a component are contiguous.
        sizes: shape (documents,), shingles.
    """
    bounds = [*np.flatnonzero(np.diff(component, prepend=-1)).tolist(), len(component)]
    shingles = np.concatenate([[0], np.cumsum(sizes + np.uint32(DOCUMENT_OVERHEAD), dtype=np.int64)])
    start = 0
    for end, following in zip(bounds, bounds[1:], strict=False):
        if end > start and shingles[following] - shingles[start] > BLOCK_SHINGLES:
            yield slice(start, end)
            start = end
    if len(component):
        yield slice(start, len(component))


def _sorted_shingles(block: slice, sizes: U32, texts: Texts, length: int) -> tuple[U64, I64]:
    """Return the sorted shingle hashes of the block's documents, concatenated, and their ends."""
    from authbench.build.dedup.shingles import shingle_hashes

    ends = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    hashes = _room(int(ends[-1]))
    part_of = ends[:-1] // SORTED_AT_ONCE
    for part in np.unique(part_of):
        chosen = np.flatnonzero(part_of == part)
        low, high = int(chosen[0]), int(chosen[-1]) + 1
        fetched = pl.Series(texts(np.arange(block.start + low, block.start + high)), dtype=pl.String)
        given, given_ends = shingle_hashes(fetched, length)
        if not np.array_equal(given_ends, ends[low : high + 1] - ends[low]):
            raise ValueError("the texts are not those that were signed: their numbers of shingles differ")
        for start, end in zip(given_ends[:-1].tolist(), given_ends[1:].tolist(), strict=True):
            given[start:end].sort()
        hashes[ends[low] : ends[high]] = given
    return hashes, ends


def _room(count: int) -> U64:
    """Return an array for `count` hashes, in memory or in a temporary file that the system pages in and out."""
    if count <= BLOCK_SHINGLES:
        return np.empty(count, np.uint64)
    with tempfile.TemporaryFile() as file:
        if hasattr(os, "posix_fallocate"):  # a full disk raises an error here, and would kill the process later
            os.posix_fallocate(file.fileno(), 0, 8 * count)
        return np.asarray(np.memmap(file, np.uint64, "w+", shape=(count,)))


def _pairs(earlier: I64, later: I64, similarity: F64) -> pl.DataFrame:
    return pl.DataFrame({"earlier": earlier, "later": later, "similarity": similarity}, schema=PAIRS)
