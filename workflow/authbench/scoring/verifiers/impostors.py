"""Score pairs by the impostors method.

Koppel and Winter 2014, "Determining if two documents are written by the same author". Two texts are by the same author
if, in nearly every random part of the features, they are more similar to each other than either is to texts of others.
These others, a text's impostors, are drawn from the texts most similar to it. Features are rates of frequent character
n-grams, weighted by TF-IDF; similarity is min-max (Ruzicka). The score is the share of rounds that the pair wins,
averaged over both directions; thresholds (`thresholds`) decide when it is an answer.
"""

from typing import Any, NamedTuple

import numpy as np
import polars as pl

from authbench.core.arrays import F64
from authbench.core.identity import keyed_hash
from authbench.scoring.verifiers import Bench
from authbench.scoring.verifiers.naive import fitted_vectorizer
from authbench.scoring.verifiers.parameters import ImpostorsParameters
from authbench.scoring.verifiers.texts import References, both_texts, distinct, drawn, references

TEXTS_AT_ONCE = 1_000


class _Fitted(NamedTuple):
    """Hold a vectorizer of scikit-learn, and texts of others with their vectors."""

    parameters: ImpostorsParameters
    seed: int
    vectorizer: object
    others: References
    vectors: F64


def fit(train: pl.DataFrame, parameters: ImpostorsParameters, bench: Bench) -> _Fitted:
    """Learn the n-grams, and keep texts of the train pairs as impostors.

    Memory: 8 bytes for each text of the population and each n-gram, 40 MB with the defaults.
    """
    vectorizer = fitted_vectorizer(both_texts(train), "char", parameters.n, parameters.vocabulary)
    others = references(train, parameters.population, bench.seed)
    return _Fitted(parameters, bench.seed, vectorizer, others, _vectors(vectorizer, others.texts))


def sample(fitted: _Fitted, held_out: pl.DataFrame) -> pl.DataFrame:
    """Return the pairs on which thresholds are chosen."""
    return drawn(held_out, fitted.parameters.calibration_pairs, fitted.seed)


def wins(fitted: _Fitted, pairs: pl.DataFrame) -> F64:
    """Return the share of rounds that each pair wins, shape (pairs,); vectors of TEXTS_AT_ONCE pairs are in memory."""
    found = [np.empty(0)]
    for part in pairs.iter_slices(TEXTS_AT_ONCE):
        texts, first, second = distinct(part)
        vectors = _vectors(fitted.vectorizer, texts)
        found.append(
            np.array(
                [
                    _share_won(fitted, texts[one], texts[other], vectors[one], vectors[other])
                    for one, other in zip(first, second, strict=True)
                ]
            )
        )
    return np.concatenate(found)


def _share_won(fitted: _Fitted, one: str, other: str, vector: F64, against: F64) -> float:
    """Return the mean share of both directions, by a hash of (seed, texts); 0.5 without texts of others."""
    from authbench.scoring.verifiers.impostors_kernels import likeness, rounds_won

    free = np.flatnonzero(fitted.others.others(one, other))
    if not len(free):
        return 0.5
    asked = fitted.parameters
    chance = np.random.Generator(np.random.Philox(keyed_hash(fitted.seed, "impostors", one, other)))
    kept = max(1, round(asked.share * len(vector)))
    parts = np.stack([chance.choice(len(vector), kept, replace=False, shuffle=False) for _ in range(asked.rounds)])
    won = 0
    for asking, disguised in ((vector, against), (against, vector)):
        alike = likeness(disguised, fitted.vectors, free)
        candidates = free[np.lexsort((free, -alike))[: asked.candidates]]
        size = min(asked.impostors, len(candidates))
        chosen = np.stack([chance.choice(candidates, size, replace=False, shuffle=False) for _ in range(asked.rounds)])
        won += rounds_won(asking, disguised, fitted.vectors, chosen, parts)
    return won / (2 * asked.rounds)


def _vectors(vectorizer: Any, texts: list[str]) -> F64:
    return np.asarray(vectorizer.transform(texts).toarray(), np.float64)
