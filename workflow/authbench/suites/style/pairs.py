"""Pairs: measure whether two texts of the same style are more alike than two texts of different styles.

The score is the area under the ROC curve of the cosine, over all pairs of texts or over the dataset's predefined pairs
(STEB §3.1). Ties count .5.
"""

from collections.abc import Iterator

import numpy as np

from authbench.core.arrays import BOOL, F64, I32, I64
from authbench.core.json_values import JsonObject
from authbench.models.model import Rows
from authbench.scoring.metrics.auc import area_of_wins, auc, pairs_below
from authbench.suites.style import intervals

BLOCK_BYTES = 8 << 20  # of scores in memory at once, in addition to the rarer kind of pairs
BINS = 1 << 16  # of cosines, only for intervals
DECIMALS = 12  # further digits of BLAS products depend on processor and position; rounding keeps equal scores equal


def unit(vectors: object) -> Rows:
    """Return the rows in double precision, scaled to length 1; zero rows are unchanged."""
    from scipy.sparse import csr_matrix, issparse
    from sklearn.preprocessing import normalize

    if issparse(vectors):
        return normalize(csr_matrix(vectors, dtype=np.float64))
    return normalize(np.asarray(vectors, np.float64))


def compact(rows: Rows) -> Rows:
    """Return sparse rows rotated into at most as many dimensions as rows, by decreasing variance.

    The rotation preserves lengths, angles and distances. Dense rows are returned unchanged.
    """
    from scipy.sparse import issparse

    if not issparse(rows):
        return rows
    spread, directions = np.linalg.eigh((rows @ rows.T).toarray().astype(np.float64))
    kept = spread > 1e-12 * max(spread[-1], 1e-300)
    kept[-1] = True  # rows of zeros have a dimension, too
    return (directions[:, kept] * np.sqrt(spread[kept].clip(0)))[:, ::-1]


def all_to_all(vectors: object, labels: I64) -> JsonObject:
    """Return `auroc` over all pairs of different texts; pairs with equal labels are positive.

    `vectors` is dense or CSR, shape (texts, dimensions). Memory: 8 bytes per pair of the rarer kind, plus a few blocks
    of scores (3,000 texts in two labels: 66 MB).
    """
    total = len(labels) * (len(labels) - 1) // 2
    sizes = np.unique(labels, return_counts=True)[1].astype(np.int64)
    positive = int((sizes * (sizes - 1) // 2).sum())
    counts = {"pairs": total, "positive_pairs": positive, "texts": len(labels), "labels": len(sizes)}
    if not 0 < positive < total:
        return {"undefined": "no pair of one label" if not positive else "no pair of two labels", **counts}
    rows = unit(vectors)
    rarer = positive <= total - positive
    rare_parts, bins = [], np.zeros(2 * BINS, np.int64)
    for scores, same, _ in _blocks(rows, labels):
        rare_parts.append(scores[same == rarer])
        bins += np.bincount(_binned(scores, same), minlength=2 * BINS)
    rare = np.sort(np.concatenate(rare_parts))
    places = _placements(bins.reshape(2, BINS)).ravel()
    below = 0.0  # pairs (rare, other) whose rare score is lower
    influence = np.zeros(len(labels))
    for scores, same, (block, later) in _blocks(rows, labels):
        below += pairs_below(rare, scores[same != rarer])
        points = np.zeros(later.shape)
        points[later] = places[_binned(scores, same)]
        influence[block] += points.sum(axis=1)
        influence[block.start :] += points.sum(axis=0)
    share = area_of_wins(below, positive, total - positive)
    area = float(1 - share if rarer else share)
    return {"auroc": area, "interval": intervals.of_texts(area, influence), **counts}


def _binned(scores: F64, same: BOOL) -> I32:
    """Return the bin of each cosine (BINS between -1 and 1); the bins of same-label pairs follow all others."""
    bins = (scores * (BINS / 2 - 1) + BINS / 2).astype(np.int32)
    bins += same.astype(np.int32) << 16
    return bins


def _placements(bins: I64) -> F64:
    """Return each bin's effect on the area when a pair of it counts twice, per kind of pair (2 x bins).

    For a same-label pair, this is the share of different-label pairs below it minus the area; for a different-label
    pair, the share of same-label pairs above it minus the area. Each is divided by the number of pairs of its kind.
    Pairs in the same bin count as tied.
    """
    negative, positive = bins.astype(np.float64)
    above = (negative.cumsum() - negative / 2) / negative.sum()
    under = 1 - (positive.cumsum() - positive / 2) / positive.sum()
    area = (above * positive).sum() / positive.sum()
    return np.stack([(under - area) / negative.sum(), (above - area) / positive.sum()])


def _blocks(rows: Rows, labels: I64) -> Iterator[tuple[F64, BOOL, tuple[slice, BOOL]]]:
    """Yield, per block of texts, the cosines with all later texts and which pairs have equal labels.

    The third value gives the block's texts and the valid cells (block x texts from the block's first on).
    """
    texts = len(labels)
    step = max(1, BLOCK_BYTES // (8 * texts))
    for start in range(0, texts, step):
        stop = min(start + step, texts)
        later = np.arange(start, texts)[None, :] > np.arange(start, stop)[:, None]
        same = (labels[start:stop, None] == labels[None, start:])[later]
        yield all_cosines(rows[start:stop], rows[start:])[later], same, (slice(start, stop), later)


def predefined(first: object, second: object, same: BOOL) -> dict[str, object]:
    """Return `auroc` over the pairs (row i of `first` with row i of `second`, dense or CSR)."""
    counts = {"pairs": len(same), "positive_pairs": int(same.sum())}
    if same.all() or not same.any():
        return {"undefined": "all pairs of one kind", **counts}
    # one minus the other kind's area: bit for bit what `all_to_all` computes for these pairs
    scores = cosines(unit(first), unit(second))
    return {"auroc": 1 - auc(~same, scores), "interval": intervals.of_area(same, scores), **counts}


def all_cosines(some: Rows, others: Rows) -> F64:
    """Return all cosines between two sets of unit rows, shape (some, others), rounded to DECIMALS."""
    product = some @ others.T
    return np.asarray(np.round(product.toarray() if hasattr(product, "toarray") else product, DECIMALS))


def cosines(one: Rows, other: Rows) -> F64:
    """Return the row-wise cosines of two sets of unit rows, shape (pairs,), rounded to DECIMALS."""
    product = one.multiply(other).sum(axis=1) if hasattr(one, "multiply") else (one * other).sum(axis=1)
    return np.asarray(np.round(np.asarray(product).ravel(), DECIMALS))
