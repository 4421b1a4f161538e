"""Compute the gains of models over the rows that do not read style (shortcuts), and the power of the test.

For each headline score, the shortcut to beat is the best on the dev split. If fewer than `headline.LEAST_DEV_AUTHORS`
of its authors have queries, it is the best on half of the authors of the split itself, selected by a hash, which
favours the shortcut. A gain is the mean over authors of the difference on the same queries, with a 95 % bootstrap
interval over authors; p is computed by approximate randomisation over authors, corrected by Holm over all models and
headline scores, and within a slice over the tests of the slice.

Memory: a few columns of the queries for each model, and the bootstrap's weights.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict, cast

import numpy as np
import polars as pl

from authbench.core.arrays import BOOL, F64
from authbench.core.identity import keyed_hash
from authbench.release.format.scores import Unsolved
from authbench.scoring.evaluation import headline
from authbench.scoring.evaluation.released import BY_CHANCE, HEADLINES, S_AT_5
from authbench.scoring.evaluation.slices import OVERALL, by_slice, slices_of
from authbench.scoring.metrics import significance
from authbench.scoring.metrics.bootstrap import interval

PUNCTUATION = "punctuation"  # a row of style features only; gains over it are printed too
SUPPORTED_AUTHORS = 100  # a language with fewer query authors is named as not supported
GAINS = pl.Schema(
    {
        "model": pl.String, "facet": pl.String, "slice": pl.String, "score": pl.String, "against": pl.String,
        "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "macro": pl.Float64, "macro_low": pl.Float64,
        "macro_high": pl.Float64, "p": pl.Float64, "p_holm": pl.Float64, "authors": pl.Int64,
    }
)  # fmt: skip


class LanguagePower(TypedDict):
    """The smallest difference of two models that can be shown in a language; None: too few authors."""

    difference: float | None
    authors: int


class Power(TypedDict):
    """The smallest differences of two models that can be shown: over authors, over languages, and in each language.

    `not_supported` are the languages with fewer than SUPPORTED_AUTHORS query authors.
    """

    difference: float | None
    macro: float | None
    authors: int
    by_language: dict[str, LanguagePower]
    not_supported: list[str]


@dataclass(frozen=True)
class Scored:
    """The results of a model that a comparison uses.

    Attributes:
        name: the model's name.
        shortcut: whether the model does not read style.
        queries: a row per query, sorted by id (`evaluate.run.queries_table`).
        on_dev: a shortcut's value on the dev split by headline score; empty without a dev split.
    """

    name: str
    shortcut: bool
    queries: pl.DataFrame
    on_dev: Mapping[str, float]


@dataclass(frozen=True)
class Comparison:
    """Gains of several models on a split.

    Attributes:
        chosen: by headline score, the shortcut to beat and the data it was chosen on.
        gains: GAINS of the models other than shortcuts: over the chosen shortcuts, then over PUNCTUATION.
        tests: the size of the family that `p_holm` of all queries is corrected for.
        power: by headline score, the smallest difference that can be shown.
        difficulty: `id` and `difficulty`, the shortcuts that solve each query by S_AT_5; null: the query has no such
            score.
        unsolved: by model, S_AT_5 over the queries that no shortcut solves, and the score of a random order there.
    """

    chosen: Mapping[str, tuple[str, str]]
    gains: pl.DataFrame
    tests: int
    power: Mapping[str, Power]
    difficulty: pl.DataFrame
    unsolved: Mapping[str, Unsolved]


def compare(models: Sequence[Scored], pool_authors: Mapping[str, int], seed: int) -> Comparison:
    """Return the gains of models whose tables contain the same queries in the same order.

    Args:
        models: in any order, which does not affect the result.
        pool_authors: by language, the number of authors of candidates.
        seed: of bootstrap and randomisation.
    """
    models = sorted(models, key=lambda one: one.name)
    queries = models[0].queries
    authors = headline.Authors.of(queries, seed)
    chosen = _chosen(models, authors, seed)
    judged = [one for one in models if not one.shortcut]
    everyone = np.ones(queries.height, bool)

    def rows_of(where: BOOL, pools: Mapping[str, int] | None = None) -> list[dict[str, object]]:
        return [
            row
            for score, (name, _) in chosen.items()
            for row in _gains_over(judged, _named(models, name), score, authors, where, pools, seed)
        ]

    of_all = rows_of(everyone, pool_authors)
    gains, tests = [pl.DataFrame(schema=GAINS)], len(of_all)
    for (facet, label), rows in {OVERALL: of_all, **by_slice(slices_of(queries) if of_all else {}, rows_of)}.items():
        found = pl.DataFrame([row | {"facet": facet, "slice": label} for row in rows], schema=GAINS)
        gains.append(found.with_columns(p_holm=pl.Series(significance.holm(found["p"].to_numpy()))))
    gains.append(_over_punctuation(models, authors, pool_authors))
    difficulty = _difficulty(models)
    return Comparison(
        chosen=chosen,
        gains=pl.concat(gains),
        tests=tests,
        power={score: _power(judged, _named(models, name), score, authors, pool_authors, tests)
               for score, (name, _) in chosen.items()} if tests else {},
        difficulty=difficulty,
        unsolved=_unsolved(models, difficulty, authors),
    )  # fmt: skip


def _named(models: Sequence[Scored], name: str) -> Scored:
    return next(one for one in models if one.name == name)


def _having(models: Sequence[Scored], score: str) -> list[Scored]:
    """Return the models with the score of any query; a ranking of few candidates lacks some scores."""
    return [one for one in models if not np.isnan(headline.values_of(one.queries, score)).all()]


def _chosen(models: Sequence[Scored], authors: headline.Authors, seed: int) -> dict[str, tuple[str, str]]:
    """Return by headline score the best shortcut and where it is best; scores that no shortcut has are left out."""
    shortcuts = [one for one in models if one.shortcut]
    half = np.array([keyed_hash(seed, "half of the authors", name) % 2 == 0 for name in authors.names], bool)
    in_half = half[authors.of_query] if len(half) else np.zeros(0, bool)
    found = {}
    for score in HEADLINES:
        known = _having(shortcuts, score)
        if known and all(score in one.on_dev for one in known):
            found[score] = (max(known, key=lambda one: one.on_dev[score]).name, "dev")
            continue
        means = {
            one.name: headline.means_of_authors(
                headline.values_of(one.queries, score)[None], headline.counts_of(one.queries, score), authors, in_half
            ).values
            for one in known
        }
        if means:
            best = max(means, key=lambda name: float(means[name].mean()) if means[name].size else -1.0)
            found[score] = (best, "half of the authors")
    return found


def _gains_over(
    judged: Sequence[Scored],
    against: Scored,
    score: str,
    authors: headline.Authors,
    where: BOOL,
    pool_authors: Mapping[str, int] | None,
    seed: int,
) -> Iterator[dict[str, object]]:
    """Yield a row of GAINS for each model that has the score, where enough authors have a difference.

    Args:
        pool_authors: as for `compare`; None: without means over languages.
    """
    judged, counts = _having(judged, score), headline.counts_of(against.queries, score)
    differences = _differences(judged, against, score)
    means = headline.means_of_authors(differences, counts, authors, where)
    if not judged or len(means.present) < headline.LEAST_QUERY_AUTHORS:
        return
    replicates = means.replicates(authors)
    macro: Sequence[Mapping[str, object]] = [{} for _ in judged]
    if pool_authors is not None:
        _, macro = headline.over_languages(differences, counts, against.queries, score, authors, pool_authors)
    p = significance.p_of_paired_means(means.values, means.names(authors), seed)
    for at, one in enumerate(judged):
        low, high = interval(replicates[:, at]) or (None, None)
        yield {
            "model": one.name, "score": score, "against": against.name, "value": float(means.values[at].mean()),
            "low": low, "high": high, "p": float(p[at]), "authors": len(means.present), **macro[at],
        }  # fmt: skip


def _over_punctuation(
    models: Sequence[Scored], authors: headline.Authors, pool_authors: Mapping[str, int]
) -> pl.DataFrame:
    """Return gains over PUNCTUATION of all queries, without p; empty if it is not among the models."""
    judged = [one for one in models if not one.shortcut and one.name != PUNCTUATION]
    everyone, (facet, label) = np.ones(models[0].queries.height, bool), OVERALL
    rows = [
        row | {"facet": facet, "slice": label, "p": None}
        for against in models
        if against.name == PUNCTUATION
        for score in HEADLINES
        for row in _gains_over(judged, against, score, authors, everyone, pool_authors, 0)
    ]
    return pl.DataFrame(rows, schema=GAINS)


def _differences(judged: Sequence[Scored], against: Scored, score: str) -> F64:
    """Return each model's value minus the other's, shape (models, queries); NaN where a query has none."""
    other = headline.values_of(against.queries, score)
    return np.array([headline.values_of(one.queries, score) - other for one in judged]).reshape(len(judged), len(other))


def _power(
    judged: Sequence[Scored],
    against: Scored,
    score: str,
    authors: headline.Authors,
    pool_authors: Mapping[str, int],
    tests: int,
) -> Power:
    """Return the smallest difference that can be shown: over authors, over languages, and in each language.

    The standard error is the median, over the models, of the standard error of the difference from the shortcut.
    """
    queries, counts = against.queries, headline.counts_of(against.queries, score)
    differences = _differences(_having(judged, score) or judged, against, score)

    def error(means: headline.Means) -> float:
        return float(np.median([significance.standard_error(row) for row in means.values]))

    everyone = headline.means_of_authors(differences, counts, authors, np.ones(queries.height, bool))
    by_language: dict[str, LanguagePower] = {}
    errors: dict[str, float] = {}
    for lang in queries["lang"].unique().sort():
        means = headline.means_of_authors(differences, counts, authors, (queries["lang"] == lang).to_numpy())
        if not len(means.present):
            continue
        errors[lang] = error(means)
        by_language[lang] = {
            "difference": _finite(significance.smallest_difference(errors[lang], tests)),
            "authors": len(means.present),
        }
    averaged = headline.averaged_languages(queries, score, pool_authors)
    macro = significance.standard_error_of_mean([errors[lang] for lang in averaged if lang in errors])
    return {
        "difference": _finite(significance.smallest_difference(error(everyone), tests)),
        "macro": _finite(significance.smallest_difference(macro, tests)),
        "authors": len(everyone.present),
        "by_language": by_language,
        "not_supported": [lang for lang, one in by_language.items() if one["authors"] < SUPPORTED_AUTHORS],
    }


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _difficulty(models: Sequence[Scored]) -> pl.DataFrame:
    queries = models[0].queries
    shortcuts = [one for one in models if one.shortcut]
    if not shortcuts or S_AT_5 not in queries.columns:
        none = pl.Series("difficulty", [None] * queries.height, dtype=pl.List(pl.String))
        return queries.select("id").with_columns(none)
    solved = np.array([headline.values_of(one.queries, S_AT_5) for one in shortcuts])
    names = [
        None if np.isnan(column).any() else [one.name for one, hit in zip(shortcuts, column, strict=True) if hit == 1]
        for column in solved.T
    ]
    return queries.select("id").with_columns(pl.Series("difficulty", names, dtype=pl.List(pl.String)))


def _unsolved(models: Sequence[Scored], difficulty: pl.DataFrame, authors: headline.Authors) -> dict[str, Unsolved]:
    unsolved = (difficulty["difficulty"].list.len() == 0).fill_null(False).to_numpy()
    found: dict[str, Unsolved] = {}
    for one in models:
        values, chance = (headline.values_of(one.queries, score) for score in (S_AT_5, BY_CHANCE))
        counts = headline.counts_of(one.queries, S_AT_5)
        if cell := headline.cell_of(S_AT_5, values, counts, authors, unsolved):
            by_chance = headline.means_of_authors(chance[None], counts, authors, unsolved).values.mean()
            found[one.name] = cast(Unsolved, {**cell, "by_chance": float(by_chance)})
    return found
