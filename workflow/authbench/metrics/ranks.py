"""Rank values, with mean ranks for ties, and correlate ranks."""

import numpy as np

from authbench.arrays import F64


def average_ranks(values: F64) -> F64:
    """Return ranks from 1 per column, lowest value first, shape (n,) or (n, columns); ties share their mean rank.

    A column with NaN has only NaN ranks. Results equal scipy.stats.rankdata bit for bit; importing scipy.stats would
    add more than a second to every job.
    """
    values = np.asarray(values, np.float64)
    columns = values[:, None] if values.ndim == 1 else values
    ranks = np.empty(columns.shape)
    for place in range(columns.shape[1]):
        ranks[:, place] = _ranks_of_column(columns[:, place])
    return ranks.reshape(values.shape)


def _ranks_of_column(values: F64) -> F64:
    if np.isnan(values).any():
        return np.full(len(values), np.nan)
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(values)])
    sizes = np.diff(np.append(starts, len(values)))
    ranks = np.empty(len(values))
    ranks[order] = np.repeat(starts + (sizes + 1) / 2, sizes)
    return ranks


def centred_ranks(values: F64) -> tuple[F64, F64]:
    """Return each column's ranks minus their mean, shape as `values`, and each column's Euclidean length.

    Spearman's correlation of two columns is the product of their centred ranks over the product of their lengths.
    """
    ranks = average_ranks(values)
    centred = ranks - ranks.mean(axis=0)
    return centred, np.sqrt((centred**2).sum(axis=0))
