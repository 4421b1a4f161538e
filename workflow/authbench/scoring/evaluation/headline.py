"""Compute the four headline scores of a model from the metrics of its queries.

auc_matched       for a positive from another work, the share of its `matched` negatives that score lower (ties half)
auc_topic         the same for its `topic_matched` negatives, which are as topical as the positive itself
auc_time          the same for its `time_matched` negatives, which are as far from the query in time as the positive
s@5_other_work    whether any of the five best candidates of the query's language is such a positive

An author's value is the mean over the author's groups (or queries), and a score is the mean over authors. `macro` is
the mean, over languages with enough authors, of the mean over their authors. `auc_topic_time` and
`auc_adversarial` are diagnostics.

All scores are computed from a table with a row per query (`evaluate.run.queries_table`), so leaderboards do not need
the model. Memory: 4 bytes per author and bootstrap replicate, and a few columns of the queries.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np
import polars as pl

from authbench.core.arrays import BOOL, F32, F64, I64
from authbench.release.format.scores import HeadlineCell
from authbench.scoring.evaluation.released import COUNTS, SCORES
from authbench.scoring.evaluation.slices import Slices, by_slice
from authbench.scoring.metrics.bootstrap import author_weights, interval, weighted_means

LEAST_DEV_AUTHORS = 30  # of a dev split, to determine the best shortcut on a score
LEAST_QUERY_AUTHORS = 10  # of a language, to be averaged, and of a slice, to have an interval
LEAST_POOL_AUTHORS = 20  # of a language: among fewer, a random order has too high a Success@5


@dataclass(frozen=True)
class Authors:
    """The authors of a table of queries, and how often each bootstrap replicate contains them.

    Attributes:
        of_query: shape (queries,), the number of each query's author.
        weights: shape (replicates, authors).
        names: their ids, sorted.
    """

    of_query: I64
    weights: F32
    names: tuple[str, ...]

    @classmethod
    def of(cls, queries: pl.DataFrame, seed: int) -> "Authors":
        authors = queries["author_id"]
        names = tuple(authors.unique().sort())
        return cls((authors.rank("dense") - 1).to_numpy().astype(np.int64), author_weights(names, seed), names)


@dataclass(frozen=True)
class Means:
    """Values of authors, shape (rows, authors present), and the numbers of these authors."""

    values: F64
    present: I64

    def names(self, authors: Authors) -> list[str]:
        return [authors.names[author] for author in self.present]

    def replicates(self, authors: Authors) -> F64:
        """Return the mean over authors in each replicate, shape (replicates, rows); NaN for an empty replicate."""
        return weighted_means(authors.weights[:, self.present], self.values.T, np.ones((len(self.present), 1)))


def values_of(queries: pl.DataFrame, score: str) -> F64:
    """Return a score of every query, shape (queries,); NaN where it has none."""
    if score not in queries.columns:
        return np.full(queries.height, np.nan)
    return queries[score].cast(pl.Float64).fill_null(np.nan).to_numpy()


def counts_of(queries: pl.DataFrame, score: str) -> F64:
    """Return the weight of each query's value, shape (queries,)."""
    column = COUNTS[score]
    if column is None or column not in queries.columns:
        return np.ones(queries.height)
    return queries[column].cast(pl.Float64).fill_null(0.0).to_numpy()


def means_of_authors(values: F64, counts: F64, authors: Authors, chosen: BOOL) -> Means:
    """Return the mean of each author over the chosen queries that have a value.

    Args:
        values: shape (rows, queries); the rows lack the same queries.
        counts: shape (queries,), the weight of each query within its author.
        chosen: shape (queries,).
    """
    kept = chosen & ~np.isnan(values).any(axis=0) & (counts > 0)
    of_query, weight, size = authors.of_query[kept], counts[kept], len(authors.names)
    total = np.bincount(of_query, weight, size)
    present = np.flatnonzero(total)
    sums = np.array([np.bincount(of_query, row[kept] * weight, size) for row in values]).reshape(len(values), size)
    return Means(sums[:, present] / total[present], present)


def averaged_languages(queries: pl.DataFrame, score: str, pool_authors: Mapping[str, int]) -> list[str]:
    """Return the languages of a macro mean: with enough query authors, and enough authors in the pool."""
    scored = queries.filter(pl.Series(~np.isnan(values_of(queries, score)), dtype=pl.Boolean))
    counted = scored.group_by("lang").agg(pl.col("author_id").n_unique()).sort("lang").rows()
    return [
        lang
        for lang, count in counted
        if count >= LEAST_QUERY_AUTHORS and pool_authors.get(lang, 0) >= LEAST_POOL_AUTHORS
    ]


def over_languages(
    values: F64, counts: F64, queries: pl.DataFrame, score: str, authors: Authors, pool_authors: Mapping[str, int]
) -> tuple[list[str], list[dict[str, float | None]]]:
    """Return the `averaged_languages`, and for each row of values its `macro` with an interval; empty without any.

    A replicate leaves out a language if it contains none of its authors.
    """
    languages = averaged_languages(queries, score, pool_authors)
    if not languages:
        return [], [{} for _ in values]
    chosen = [(queries["lang"] == lang).to_numpy() for lang in languages]
    parts = [means_of_authors(values, counts, authors, one) for one in chosen]
    drawn = np.stack([part.replicates(authors) for part in parts])
    known = np.isfinite(drawn)
    with np.errstate(invalid="ignore", divide="ignore"):
        replicates = np.where(known, drawn, 0.0).sum(axis=0) / known.sum(axis=0)
    mean = np.mean([part.values.mean(axis=1) for part in parts], axis=0)
    limits = [interval(column) or (None, None) for column in replicates.T]
    return languages, [
        {"macro": float(value), "macro_low": low, "macro_high": high}
        for value, (low, high) in zip(mean, limits, strict=True)
    ]


def headline(queries: pl.DataFrame, pool_authors: Mapping[str, int], authors: Authors) -> dict[str, HeadlineCell]:
    """Return for each of SCORES that the queries have: `value`, `low`, `high`, `macro` with its interval, counts."""
    found: dict[str, HeadlineCell] = {}
    for score in SCORES:
        values, counts = values_of(queries, score), counts_of(queries, score)
        if cell := cell_of(score, values, counts, authors, np.ones(queries.height, bool)):
            languages, [macro] = over_languages(values[None], counts, queries, score, authors, pool_authors)
            found[score] = cast(HeadlineCell, {**cell, "languages": languages, **macro})
    return found


def headlines_of_slices(
    queries: pl.DataFrame, authors: Authors, slices: Slices
) -> dict[tuple[str, str], dict[str, HeadlineCell]]:
    """Return for each slice and each of SCORES `value` and counts, and an interval if there are enough authors."""
    columns = {score: (values_of(queries, score), counts_of(queries, score)) for score in SCORES}

    def cells(chosen: BOOL) -> dict[str, HeadlineCell]:
        found = {score: cell_of(score, *column, authors, chosen) for score, column in columns.items()}
        return {score: cell for score, cell in found.items() if cell}

    return by_slice(slices, cells)


def cell_of(score: str, values: F64, counts: F64, authors: Authors, chosen: BOOL) -> HeadlineCell | None:
    """Return `value`, counts and interval of the chosen queries; None if none of them has a value.

    Args:
        values: shape (queries,), from `values_of`.
        counts: shape (queries,), from `counts_of`.
        chosen: shape (queries,).
    """
    means = means_of_authors(values[None], counts, authors, chosen)
    if not len(means.present):
        return None
    scored = chosen & ~np.isnan(values)
    cell: HeadlineCell = {
        "value": float(means.values[0].mean()),
        "authors": len(means.present),
        "queries": int(scored.sum()),
    }
    if COUNTS[score]:
        cell["groups"] = int(counts[scored].sum())
    if cell["authors"] >= LEAST_QUERY_AUTHORS and (limits := interval(means.replicates(authors)[:, 0])):
        cell |= {"low": limits[0], "high": limits[1]}
    return cell
