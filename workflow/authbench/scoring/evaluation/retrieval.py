"""Rank the positives of each query among all candidates.

The ranking is exact: every query is compared with every candidate, a block of queries at a time, so memory does not
grow with queries x candidates. The ranks of positives are counted without sorting a row. Ties are broken by a hash of
query and candidate (`tie_keys`), so the order of ids has no influence.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from authbench.core.arrays import F64, I32, I64, U64
from authbench.core.identity import keyed_hash
from authbench.core.runtime.progress import progress
from authbench.models.model import Rows
from authbench.scoring.evaluation.lists import Lists
from authbench.scoring.evaluation.split import Split
from authbench.scoring.metrics.score_bins import BITS, bins_of

BLOCK_BYTES = 160 << 20  # of scores in memory
_TILE_BYTES = 16 << 20  # of candidates, and of products, in float64 at a time
NEAREST = 10  # candidates kept per query; one more is kept to detect a tie at the cut

# Scores of the queries at [first, last) with all candidates, float32 or float64; valid until the next call.
Scorer = Callable[[int, int], np.ndarray]


@dataclass(frozen=True)
class Ranking:
    """The result of retrieval.

    Attributes:
        ranks: by pool, a rank for each row of the split's positives; 0 for a positive outside the query's pool.
        sizes: by pool, the number of candidates of each query.
        scores: of the positives, shape (positives,).
        nearest: rows of the best candidates, shape (queries, NEAREST + 1), padded with -1.
        best: their scores, best first, padded with -inf.
        negatives: by kind, the scores of the drawn negatives.
        depths: by pool, how many candidates of each query are ranked; None: all of them.
        others: how many negatives of queries with positives are in each bin of `metrics.score_bins`; None: unknown.
        plugged: metrics of plug-ins, by the keys of `scores.per_query_values` (`plugged.with_plugged`).
    """

    ranks: Mapping[str, I32]
    sizes: Mapping[str, I32]
    scores: F64
    nearest: I32
    best: F64
    negatives: Mapping[str, F64]
    depths: Mapping[str, I32] | None = None
    others: I64 | None = None
    plugged: Mapping[str, F64] = field(default_factory=dict)


def cosine(queries: Rows, candidates: Rows) -> Scorer:
    """Return a scorer by dot products of L2-normalised rows, dense arrays or CSR matrices."""
    width = candidates.shape[0]
    buffer = np.empty((0, width), np.result_type(queries.dtype, candidates.dtype))

    def memory(rows: int) -> np.ndarray:
        nonlocal buffer  # reusing memory is twice as fast as allocating it
        if len(buffer) < rows:
            buffer = np.empty((rows, width), buffer.dtype)
        return buffer[:rows]

    if isinstance(queries, np.ndarray):
        parts = list(_apart(queries, candidates))

        def products(first: int, last: int) -> np.ndarray:
            found = memory(last - first)
            if len(parts) == 1:
                return _fill_products(queries[first:last], candidates, found)
            found[:] = 0
            for asking, answering, columns in parts:
                own = asking[slice(*np.searchsorted(asking, (first, last)))]
                block = np.empty((len(own), len(answering)), found.dtype)
                _fill_products(queries[own, columns], candidates[answering, columns], block)
                found[np.ix_(own - first, answering)] = block
            return found

        return products
    from authbench.core.product_kernels import multiply, rows_of

    rows, turned = rows_of(queries), rows_of(candidates.T.tocsr())

    def product(first: int, last: int) -> np.ndarray:
        found = memory(last - first)
        multiply(first, rows, turned, found)
        return found

    return product


def _fill_products(queries: np.ndarray, candidates: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Fill `found`, shape (queries, candidates), with dot products summed in float64 and then rounded.

    The last bits of a product of float32 matrices depend on the number of threads and on the position of a row in its
    block. The last bits in float64 do, too, but they are so far below float32 precision that the rounded values are
    equal.
    """
    wide = queries.astype(np.float64)
    step = max(1, _TILE_BYTES // (8 * max(1, *queries.shape)))
    for start in range(0, len(candidates), step):
        tile = candidates[start : start + step].astype(np.float64)
        found[:, start : start + len(tile)] = wide @ tile.T
    return found


def _apart(queries: np.ndarray, candidates: np.ndarray) -> Iterator[tuple[I64, I64, slice]]:
    """Yield rows of queries, rows of candidates and columns; products between different parts are 0.

    For example, vectors over the words of each language separate into matrices that are much smaller than a matrix over
    the words of all languages. The products of a part are in memory twice, at most another block.
    """
    width = queries.shape[1]
    if not width or any(((rows[:, 0] != 0) & (rows[:, -1] != 0)).any() for rows in (queries, candidates)):
        yield np.arange(len(queries)), np.arange(len(candidates)), slice(None)
        return
    spans = [_spans(rows) for rows in (queries, candidates)]
    joined = np.zeros(width, np.int64)  # how many rows need both a column and the next one
    for starts, ends in spans:
        joined += np.bincount(starts, minlength=width) - np.bincount(ends, minlength=width)
    ends = np.flatnonzero(np.cumsum(joined) == 0) + 1
    part = [np.searchsorted(ends, starts, "right") for starts, _ in spans]
    for number, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        asking, answering = (np.flatnonzero(of_row == number) for of_row in part)
        if len(asking) and len(answering):
            yield asking, answering, slice(start, end)


def _spans(rows: np.ndarray) -> tuple[I64, I64]:
    """Return the first and the last non-zero column of each row; the first column for a row of zeros."""
    starts, ends = np.zeros((2, len(rows)), np.int64)
    step = max(1, _TILE_BYTES // rows.shape[1])
    for first in range(0, len(rows), step):
        filled = rows[first : first + step] != 0
        some = filled.any(axis=1)
        starts[first : first + step] = filled.argmax(axis=1)
        ends[first : first + step] = np.where(some, rows.shape[1] - 1 - filled[:, ::-1].argmax(axis=1), 0)
    return starts, ends


def pools(split: Split) -> dict[str, tuple[I32, I32]]:
    """Return the pool of each query and of each candidate.

    The pools are all candidates, the candidates of the query's language, of its language and source, and of its topic
    (F.5).

    Returns:
        By name, numbers of pools: shape (queries,) and shape (candidates,).
    """
    keys = split.documents.select(
        whole=pl.lit(""),
        language="lang",
        language_source=pl.concat_str("lang", "source", separator="\x1f"),
        topic="topic",
    )
    codes = {name: keys[name].rank("dense").to_numpy().astype(np.int32) for name in keys.columns}
    return {name: (code[split.asks], code[: split.candidates]) for name, code in codes.items()}


def tie_keys(split: Split) -> U64:
    """Return a number per document; of equal scores, the lower `mix(query ^ mix(candidate))` ranks first.

    Returns:
        Shape (documents,), 64-bit hashes of ids.
    """
    return np.array([keyed_hash(0, "tie", ident) for ident in split.documents["id"]], np.uint64)


def rank(scorer: Scorer, split: Split, negatives: Mapping[str, Lists]) -> Ranking:
    """Return the ranks of every query's positives in every pool, and the scores of its negatives."""
    from authbench.scoring.evaluation import retrieval_kernels

    queries, positives = len(split.asks), split.positives
    in_pool, keys = pools(split), tie_keys(split)
    of_both = keys[split.asks], keys[: split.candidates]
    within = {name: (*codes, *_members_of(codes)) for name, codes in in_pool.items() if name != "whole"}
    ranks = {name: np.zeros(len(positives.rows), np.int32) for name in in_pool}
    scores = np.empty(len(positives.rows))
    against = {name: np.empty(len(pairs.rows)) for name, pairs in negatives.items()}
    rows, best = np.empty((queries, NEAREST + 1), np.int32), np.empty((queries, NEAREST + 1))
    answered, counts = positives.lengths() > 0, np.zeros(1 << BITS, np.int64)
    for first, last in query_blocks(queries, split.candidates):
        block = np.ascontiguousarray(scorer(first, last))
        retrieval_kernels.gather(block, first, positives.starts, positives.rows, scores)
        for name, pairs in negatives.items():
            retrieval_kernels.gather(block, first, pairs.starts, pairs.rows, against[name])
        retrieval_kernels.exclude(block, first, split.excluded.starts, split.excluded.rows)
        retrieval_kernels.count_scores(block, first, answered, 32 - BITS, counts)
        retrieval_kernels.rank_rows(block, first, positives.starts, positives.rows, *of_both, ranks["whole"])
        for name, pool in within.items():
            retrieval_kernels.rank_among(block, first, positives.starts, positives.rows, pool, *of_both, ranks[name])
        top = np.empty((last - first, NEAREST + 1), block.dtype)
        retrieval_kernels.nearest(block, first, *of_both, rows[first:last], top)
        best[first:last] = top
    others = without_positives(counts, scores)
    return Ranking(ranks, pool_sizes(split, in_pool), scores, rows, best, against, others=others)


def without_positives(counts: I64, positives: F64) -> I64:
    """Return the counts by bin of all candidates' scores, minus the counts of the scores of the positives."""
    found: I64 = counts - np.bincount(bins_of(positives), minlength=len(counts))
    return found


def _members_of(codes: tuple[I32, I32]) -> tuple[I64, I32]:
    """Return the start of each pool, and the candidates sorted by pool."""
    of_query, of_candidate = codes
    members = np.argsort(of_candidate, kind="stable").astype(np.int32)
    pools = np.arange(max(of_query.max(initial=0), of_candidate.max(initial=0)) + 2)
    return np.searchsorted(of_candidate[members], pools), members


def query_blocks(queries: int, candidates: int) -> Iterator[tuple[int, int]]:
    """Yield ranges [first, last) of queries whose scores with all candidates fit BLOCK_BYTES, and report progress."""
    step = max(1, BLOCK_BYTES // (4 * max(1, candidates)))
    blocks = ((first, min(first + step, queries)) for first in range(0, queries, step))
    return progress(blocks, "compare: queries", queries, lambda block: block[1] - block[0])


def pool_sizes(split: Split, in_pool: Mapping[str, tuple[I32, I32]]) -> dict[str, I32]:
    """Return by pool how many of each query's candidates in it are not excluded, shape (queries,)."""
    sizes = {}
    excluded, owners = split.excluded.rows, split.excluded.owners()
    for name, (of_query, of_candidate) in in_pool.items():
        counts = np.bincount(of_candidate, minlength=int(of_query.max(initial=0)) + 1)
        inside = of_candidate[excluded] == of_query[owners]
        gone = np.bincount(owners[inside], minlength=len(of_query))
        sizes[name] = (counts[of_query] - gone).astype(np.int32)
    return sizes
