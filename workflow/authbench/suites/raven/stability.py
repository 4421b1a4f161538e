"""Compute ranking stability over folds and the topic shortcut test (Sawatphol et al. 2024, sections 6 and 8.2)."""

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import polars as pl

from authbench.core.arrays import F64
from authbench.scoring.metrics.ranking import centred_ranks


def rank_correlations(scores: F64) -> F64:
    """Return Spearman's correlation of scores, shape (systems, folds), for each pair of folds (mean: tables 4, 8-10).

    NaN if all systems of a fold have equal scores.
    """
    centred, lengths = centred_ranks(scores)
    pairs = combinations(range(scores.shape[1]), 2)
    with np.errstate(invalid="ignore"):
        return np.array([centred[:, a] @ centred[:, b] / lengths[a] / lengths[b] for a, b in pairs])


def agreement_of_folds(scores: Sequence[F64]) -> tuple[float, float]:
    """Return how well folds agree on the ranking of systems, and the variance of this agreement.

    Pairs of folds share folds and are not independent, so the variance is estimated by the jackknife over folds.

    Args:
        scores: per set of folds, shape (systems, folds); folds of different sets are not compared.

    Returns:
        The mean of Spearman's correlations over pairs of folds and sets, and its variance; NaN if undefined.
    """
    means, variances = [], []
    for one in scores:
        folds = one.shape[1]
        pairs = np.array(list(combinations(range(folds), 2))).reshape(-1, 2)
        found = rank_correlations(one)
        if not np.isfinite(found).any():
            continue
        means.append(float(np.nanmean(found)))
        kept = [found[(pairs != fold).all(axis=1)] for fold in range(folds)]
        left = np.array([np.nanmean(rest) for rest in kept if np.isfinite(rest).any()])
        variances.append(
            float((len(left) - 1) / len(left) * ((left - left.mean()) ** 2).sum()) if len(left) > 1 else np.nan
        )
    if not means:
        return float("nan"), float("nan")
    return float(np.mean(means)), float(np.sum(variances)) / len(means) ** 2


def p_of_agreements(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Return the two-sided p of the difference of two agreements (`agreement_of_folds`), assumed normal."""
    apart, spread = abs(one[0] - other[0]), one[1] + other[1]
    if not spread > 0:
        return float("nan") if np.isnan(apart) or np.isnan(spread) else float(apart == 0)
    return math.erfc(apart / math.sqrt(2 * spread))


def topic_shortcut(hits: F64, random: F64) -> pl.DataFrame:
    """Return the topic shortcut test (section 8.2, table 11), a row per system in the order of the rows.

    Args:
        hits: shape (systems, seeds), means over folds of HITS subsets.
        random: the same for random subsets; the number of seeds may differ.

    Returns:
        `random` and `hits` (means over seeds), their mean `avg`, `diff` (their absolute difference: lower means less
            reliance on topics), and `place` by it, 1 the most robust.
    """
    means = {"random": random.mean(axis=1), "hits": hits.mean(axis=1)}
    frame = pl.DataFrame(means).with_columns(
        avg=(pl.col("random") + pl.col("hits")) / 2, diff=(pl.col("random") - pl.col("hits")).abs()
    )
    return frame.with_columns(place=pl.col("diff").rank("ordinal").cast(pl.Int64))
