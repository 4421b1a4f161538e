"""Stability of rankings over folds, and the topic shortcut test (Sawatphol et al. 2024, sections 6 and 8.2)."""

from itertools import combinations

import numpy as np
import polars as pl

from authbench.arrays import F64
from authbench.metrics.ranks import average_ranks, centred_ranks


def rank_correlations(scores: F64) -> F64:
    """Return Spearman's correlation of the systems' scores for each pair of folds (tables 4, 8, 9, 10 give its mean).

    Args:
        scores: shape (systems, folds).

    Returns:
        shape (pairs of folds,); NaN where all systems of a fold score the same.
    """
    centred, lengths = centred_ranks(scores)
    return np.array(
        [
            np.nan
            if not lengths[one] * lengths[other]
            else centred[:, one] @ centred[:, other] / lengths[one] / lengths[other]
            for one, other in combinations(range(scores.shape[1]), 2)
        ]
    )


def system_ranks(scores: F64) -> F64:
    """Return the rank of each system on each fold, 1 for the highest score (table 5), shape (systems, folds)."""
    return average_ranks(-scores)


def topic_shortcut(hits: F64, random: F64) -> pl.DataFrame:
    """Return the topic shortcut test (section 8.2, table 11), a row per system in the order of the rows.

    Args:
        hits: shape (systems, seeds), each a mean over folds, of subsets chosen by HITS.
        random: the same of random subsets; the number of seeds may be another.

    Returns:
        `random` and `hits` (means over seeds), `avg` of both, `diff` (their absolute difference: the lower, the less
        a system leans on topics), and `place` by it, 1 the most robust.
    """
    means = {"random": random.mean(axis=1), "hits": hits.mean(axis=1)}
    frame = pl.DataFrame(means).with_columns(
        avg=(pl.col("random") + pl.col("hits")) / 2, diff=(pl.col("random") - pl.col("hits")).abs()
    )
    return frame.with_columns(place=pl.col("diff").rank("ordinal").cast(pl.Int64))
