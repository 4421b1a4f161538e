"""Do verifiers rank the same on every fold, and does a score hold when topics are unlike?

Sections 6 and 8.2 of Sawatphol et al. 2024. Scores are systems x folds, or systems x seeds.
"""

import warnings
from itertools import combinations

import numpy as np
import polars as pl

from authbench.raven.select import F64


def rank_correlations(scores: F64) -> F64:
    """Spearman's correlation of the systems' scores, for each pair of folds (tables 4, 8, 9 and 10 give its mean).

    `scores` is systems x folds. Where all systems of a fold score the same, its correlations are NaN.
    """
    ranks = np.apply_along_axis(average_ranks, 0, scores)
    centred = ranks - ranks.mean(axis=0)
    lengths = np.linalg.norm(centred, axis=0)
    return np.array(
        [
            np.nan
            if not lengths[one] * lengths[other]
            else centred[:, one] @ centred[:, other] / lengths[one] / lengths[other]
            for one, other in combinations(range(scores.shape[1]), 2)
        ]
    )


def average_ranks(values: F64) -> F64:
    """Ranks from 1, the lowest value first; equal values share the mean of their ranks."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(values), np.float64)


def system_ranks(scores: F64) -> F64:
    """The rank of each system on each fold, 1 for the highest score (table 5)."""
    found: F64 = np.apply_along_axis(average_ranks, 0, -scores)
    return found


def unpaired_p(one: F64, other: F64) -> float:
    """The two-sided p of Student's t-test for two independent samples; NaN where one has fewer than two numbers.

    Samples without any spread have p = 1 where they are equal, 0 where not. NaN in a sample are left out.
    """
    from scipy.stats import ttest_ind

    one, other = one[~np.isnan(one)], other[~np.isnan(other)]
    if min(len(one), len(other)) < 2:
        return float("nan")
    if not np.ptp(one) and not np.ptp(other):
        return 1.0 if one[0] == other[0] else 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a sample with hardly any spread
        return float(ttest_ind(one, other).pvalue)


def topic_shortcut(hits: F64, random: F64) -> pl.DataFrame:
    """The shortcut test (section 8.2, table 11): a row per system in the order of the rows.

    `hits` and `random` are systems x seeds, each a mean over folds; they may have other numbers of seeds. Columns
    `random`, `hits` (means over seeds), `avg` of both, `diff` (their absolute difference: the less, the less a system
    leans on topics) and `place` by it, 1 the most robust.
    """
    means = {"random": random.mean(axis=1), "hits": hits.mean(axis=1)}
    frame = pl.DataFrame(means).with_columns(
        avg=(pl.col("random") + pl.col("hits")) / 2, diff=(pl.col("random") - pl.col("hits")).abs()
    )
    return frame.with_columns(place=pl.col("diff").rank("ordinal").cast(pl.Int64))
