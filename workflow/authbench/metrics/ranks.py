"""Ranks of values, equal values sharing the mean of their ranks, and what correlates them."""

import numpy as np

from authbench.arrays import F64


def average_ranks(values: F64) -> F64:
    """Return ranks from 1, the lowest value first, of each column of values; equal values share their mean rank."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(values, axis=0), np.float64)


def centred_ranks(values: F64) -> tuple[F64, F64]:
    """Return the ranks of each column less their mean, shape as `values`, and the Euclidean length of each column.

    Spearman's correlation of two columns is the product of their centred ranks over that of their lengths.
    """
    ranks = average_ranks(values)
    centred = ranks - ranks.mean(axis=0)
    return centred, np.sqrt((centred**2).sum(axis=0))
