"""Compute retrieval metrics: Success, Recall and nDCG at K and the mean reciprocal rank (AuthBench paper, A.9).

They are computed per query from the ranks of the positives, and in expectation for a random ranking. A K larger than
the pool keeps its name: ranks past the end are empty.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl

from authbench.core.arrays import F64, I32, I64
from authbench.core.json_values import JsonMapping


def average_ranks(values: F64) -> F64:
    """Return ranks from 1 per column, lowest value first, shape (n,) or (n, columns); ties share their mean rank.

    A column with NaN has only NaN ranks. Results equal scipy.stats.rankdata bit for bit; importing scipy.stats would
    add more than a second to every job.
    """
    values = np.asarray(values, np.float64)
    columns = values[:, None] if values.ndim == 1 else values
    ranks = np.empty(columns.shape)
    for place, column in enumerate(columns.T):
        ranks[:, place] = np.nan if np.isnan(column).any() else pl.Series(column).rank("average").to_numpy()
    return ranks.reshape(values.shape)


def centred_ranks(values: F64) -> tuple[F64, F64]:
    """Return each column's ranks minus their mean, shape as `values`, and each column's Euclidean length.

    Spearman's correlation of two columns is the product of their centred ranks over the product of their lengths.
    """
    ranks = average_ranks(values)
    centred = ranks - ranks.mean(axis=0)
    return centred, np.sqrt((centred**2).sum(axis=0))


CUTOFFS = (1, 3, 5, 10)
NAMES = (*(f"{metric}@{k}" for metric in ("success", "recall", "ndcg") for k in CUTOFFS), "mrr")


def per_query(ranks: I32, starts: I64, cutoffs: Sequence[int] = CUTOFFS) -> dict[str, F64]:
    """Return every metric of every query, each of shape (queries,); NaN for a query without positives.

    Args:
        ranks: of the positives, from 1, query after query; rank 0 means that the positive is not in this pool.
        starts: shape (queries + 1,), where the ranks of each query begin.
        cutoffs: the values of K.
    """
    counted = ranks > 0
    queries = len(starts) - 1
    owner = np.repeat(np.arange(queries), np.diff(starts))[counted]
    ranks = ranks[counted]
    positives = np.bincount(owner, minlength=queries)
    answered = positives > 0
    first = np.full(queries, np.iinfo(np.int64).max)
    np.minimum.at(first, owner, ranks)
    values = {}
    for k in cutoffs:
        within = ranks <= k
        hits = np.bincount(owner[within], minlength=queries)
        gain = np.bincount(owner[within], 1.0 / np.log2(ranks[within] + 1.0), minlength=queries)
        values[f"success@{k}"] = (hits > 0).astype(np.float64)
        values[f"recall@{k}"] = hits / np.maximum(positives, 1)
        values[f"ndcg@{k}"] = gain / _ideal_gain(positives, k)
    values["mrr"] = 1.0 / first
    return {name: np.where(answered, value, np.nan) for name, value in values.items()}


def _ideal_gain(positives: I64, k: int) -> F64:
    """Return the DCG at `k` of a ranking that begins with all positives; 1 if there are none."""
    gains = np.cumsum(1.0 / np.log2(np.arange(2, k + 2)))
    return np.where(positives > 0, gains[np.clip(positives, 1, k) - 1], 1.0)


def of_random_ranking(candidates: int, positives: int, cutoffs: Sequence[int] = CUTOFFS) -> dict[str, float]:
    """Return the expectation of each metric for a uniformly random order of candidates, given the number of positives.

    The first positive is behind rank r with probability C(n - r, p) / C(n, p).
    """
    ranks = np.arange(1, candidates - positives + 2)
    behind = np.cumprod(1.0 - positives / (candidates - ranks + 1.0))  # probability that the first r hold no positive
    before = np.concatenate([[1.0], behind[:-1]])
    values: dict[str, float] = {}
    for k in cutoffs:
        depth = min(k, candidates)
        values[f"success@{k}"] = float(1.0 - behind[depth - 1]) if depth <= len(behind) else 1.0
        values[f"recall@{k}"] = depth / candidates
        gain = positives / candidates * (1.0 / np.log2(np.arange(2, depth + 2))).sum()
        values[f"ndcg@{k}"] = float(gain / _ideal_gain(np.array([positives]), k)[0])
    values["mrr"] = float(((before - behind) / ranks).sum())
    return values


def random_per_query(candidates: I32, positives: I64) -> dict[str, F64]:
    """Return `of_random_ranking` for every query; NaN for a query without positives.

    Args:
        candidates: shape (queries,), the sizes of pools.
        positives: shape (queries,), the numbers of positives in them.

    Returns:
        By metric, shape (queries,).
    """
    pairs, which = np.unique(np.stack([candidates, positives]), axis=1, return_inverse=True)
    values: list[Mapping[str, float]] = [
        of_random_ranking(int(n), int(p)) if p else dict.fromkeys(NAMES, np.nan) for n, p in pairs.T
    ]
    return {name: np.array([value[name] for value in values])[which.ravel()] for name in NAMES}


def cuts_in_ties(best: F64) -> dict[str, int]:
    """Return for each of CUTOFFS below the depth the number of queries with equal scores at ranks K and K + 1.

    `best` are scores, best first, -inf if missing, shape (queries, depth).
    """
    real = np.isfinite(best)
    return {f"{k}": int(((best[:, k - 1] == best[:, k]) & real[:, k]).sum()) for k in CUTOFFS if k < best.shape[1]}


RANDOM_ERROR = 0.5  # equal error rate, and area under the ROC curve, of random scores


def chance_adjusted(cell: JsonMapping) -> dict[str, float]:
    """Return the adjusted scores of a cell of scores.json, by key.

    (x - r) / (1 - r) for a ranking metric x and its expectation r in a random order of the same pool
    (`random_expectation`), 1 - 2 e for an equal error rate e, 2 a - 1 for an area a under the ROC curve. A score whose
    random expectation is 1 is left out.
    """
    expected = cell.get("random_expectation", {})
    found = {
        name: (cell[name] - expected[name]) / (1 - expected[name])
        for name in NAMES
        if cell.get(name) is not None and expected.get(name) is not None and expected[name] < 1
    }
    found |= {key: 1 - cell[key] / RANDOM_ERROR for key in _known(cell, "eer")}
    return found | {key: cell[key] / RANDOM_ERROR - 1 for key in _known(cell, "roc_auc")}


def _known(cell: Mapping[str, object], family: str) -> Iterable[str]:
    return [key for key, value in cell.items() if key.split("_all")[0].startswith(family) and value is not None]
