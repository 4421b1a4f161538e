"""Test which differences between models are more than chance, by approximate randomisation."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import polars as pl

from authbench.leaderboard.collect import Result
from authbench.metrics.significance import holm, p_of_paired_means

TESTED = ("success@5", "mrr")


def compare_pairs(results: Sequence[Result], tables: Sequence[pl.DataFrame], seed: int) -> pl.DataFrame:
    """Return for every pair of models and TESTED metric the mean difference over queries, its p and Holm's correction.

    Approximate randomisation over queries, 10,000 rounds; the correction is over all pairs of one metric. `tables` are
    the results' queries.
    """
    pairs = list(combinations(range(len(results)), 2))
    parts = []
    for metric in TESTED:
        values = np.stack([table[metric].to_numpy() for table in tables]) if tables else np.empty((0, 0))
        asked = ~np.isnan(values.sum(axis=0))
        differences = np.array([values[one, asked] - values[other, asked] for one, other in pairs])
        if not len(pairs):
            continue
        p = p_of_paired_means(differences, tables[0]["id"].filter(pl.Series(asked)).to_list(), seed)
        parts.append(
            pl.DataFrame(
                {
                    "metric": [metric] * len(pairs),
                    "model": [results[one].name for one, _ in pairs],
                    "other": [results[other].name for _, other in pairs],
                    "difference": differences.mean(axis=1),
                    "p": p,
                    "p_holm": holm(p),
                }
            )
        )
    schema = {
        "metric": pl.String,
        "model": pl.String,
        "other": pl.String,
        "difference": pl.Float64,
        "p": pl.Float64,
        "p_holm": pl.Float64,
    }
    return pl.concat(parts) if parts else pl.DataFrame(schema=schema)
