"""Test which differences between models exceed chance, by approximate randomisation."""

from collections.abc import Collection, Sequence
from itertools import combinations
from string import ascii_lowercase

import numpy as np
import polars as pl

from authbench.core.arrays import F64
from authbench.reports.leaderboard.collect import Result
from authbench.reports.leaderboard.verdict import SURE
from authbench.scoring.evaluation.headline import LEAST_QUERY_AUTHORS, Authors, counts_of, means_of_authors, values_of
from authbench.scoring.evaluation.released import HEADLINES
from authbench.scoring.metrics.significance import holm, p_of_paired_means

TESTED = ("success@5", "mrr")
PAIRS = pl.Schema(
    {
        "metric": pl.String, "model": pl.String, "other": pl.String, "difference": pl.Float64, "p": pl.Float64,
        "p_holm": pl.Float64,
    }
)  # fmt: skip


def compare_pairs(results: Sequence[Result], tables: Sequence[pl.DataFrame], seed: int) -> pl.DataFrame:
    """Return PAIRS: the mean difference, its p and Holm's correction, for every pair of models and every metric.

    Headline scores are compared over authors, metrics in TESTED over queries, by 10,000 rounds of approximate
    randomisation. The correction covers all pairs of models that have the metric. `tables` are the results' queries.
    """
    parts = [pl.DataFrame(schema=PAIRS)]
    for metric, (which, values, names) in {**_of_authors(tables, seed), **_of_queries(tables)}.items():
        pairs = list(combinations(which, 2))
        differences = np.array([one - other for one, other in combinations(values, 2)])
        if not differences.size:
            continue
        p = p_of_paired_means(differences, names, seed)
        columns = {
            "metric": [metric] * len(pairs),
            "model": [results[one].name for one, _ in pairs],
            "other": [results[other].name for _, other in pairs],
            "difference": differences.mean(axis=1),
            "p": p,
            "p_holm": holm(p),
        }
        parts.append(pl.DataFrame(columns, schema=PAIRS))
    return pl.concat(parts)


def letters_of(pairs: pl.DataFrame, metric: str, models: Sequence[str]) -> dict[str, str]:
    """Return by model, best first, the letters it shares with models that do not differ significantly in a metric."""
    tested = pairs.filter((pl.col("metric") == metric) & pl.col("p_holm").is_not_nan())
    known = set(tested["model"]) | set(tested["other"])
    sure = tested.filter(pl.col("p_holm") < SURE)
    return letters([model for model in models if model in known], sure.select("model", "other").rows())


def not_told_apart(pairs: pl.DataFrame, metric: str, leader: str) -> set[str]:
    """Return the models whose difference from the leader in a metric may be chance."""
    doubtful = pairs.filter(pl.col("p_holm") >= SURE, metric=metric).select("model", "other")
    return {name for pair in doubtful.rows() if leader in pair for name in pair} - {leader}


def _of_authors(tables: Sequence[pl.DataFrame], seed: int) -> dict[str, tuple[list[int], F64, list[str]]]:
    """Return by headline score the models that have it, the authors' means, shape (models, authors), and the authors.

    A score with too few authors is left out.
    """
    if not tables:
        return {}
    authors, everyone = Authors.of(tables[0], seed), np.ones(tables[0].height, bool)
    found = {}
    for score in HEADLINES:
        which, values = _known([values_of(table, score) for table in tables])
        means = means_of_authors(values, counts_of(tables[0], score), authors, everyone)
        if len(means.present) >= LEAST_QUERY_AUTHORS:
            found[score] = (which, means.values, means.names(authors))
    return found


def _of_queries(tables: Sequence[pl.DataFrame]) -> dict[str, tuple[list[int], F64, list[str]]]:
    """Return by metric the models that have it, the queries' values, shape (models, queries), and their ids."""
    found = {}
    for metric in TESTED if tables else ():
        which, values = _known([values_of(table, metric) for table in tables])
        answered = ~np.isnan(values.sum(axis=0))
        found[metric] = (which, values[:, answered], tables[0]["id"].filter(pl.Series(answered)).to_list())
    return found


def _known(values: Sequence[F64]) -> tuple[list[int], F64]:
    """Return the rows with a value, and their values, shape (rows, queries)."""
    which = [row for row, one in enumerate(values) if not np.isnan(one).all()]
    return which, np.array([values[row] for row in which]).reshape(len(which), len(values[0]))


MOST = len(ascii_lowercase)


def letters(models: Sequence[str], differing: Collection[tuple[str, str]]) -> dict[str, str]:
    """Return the compact letter display of models by insertion and absorption (Piepho 2004).

    Args:
        models: best first; the best gets `a`.
        differing: pairs that differ significantly, in either order.

    Returns:
        Letters by model; none if more than MOST would be needed.

    >>> letters(["one", "two", "three"], [("one", "three")])
    {'one': 'a', 'two': 'ab', 'three': 'b'}
    """
    groups = [frozenset(models)] if models else []
    for one, other in differing:
        divided: list[frozenset[str]] = []
        for group in groups:
            divided += [group - {one}, group - {other}] if {one, other} <= group else [group]
        distinct = sorted(set(divided), key=lambda group: (-len(group), sorted(group)))
        groups = []
        for group in distinct:
            if not any(group < larger for larger in groups):
                groups.append(group)
        if len(groups) > MOST:
            return {}
    place = {model: at for at, model in enumerate(models)}
    ordered = sorted(groups, key=lambda group: sorted(place[model] for model in group))
    return {
        model: "".join(letter for letter, group in zip(ascii_lowercase, ordered, strict=False) if model in group)
        for model in models
    }
