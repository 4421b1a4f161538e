"""Score pairs by unmasking for short texts, as PAN's baseline does.

Koppel and Schler 2004; Bevendorff et al. 2019. Chunks are drawn from each text's character trigrams, a linear SVM
separates the two texts' chunks, and the strongest features are removed, round after round. Its accuracy falls fast if
both texts are by the same author. A logistic regression over the curve and its slope decides, and thresholds
(`thresholds`) set when not to answer.
"""

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from authbench.core.arrays import F64
from authbench.core.identity import keyed_hash
from authbench.scoring.verifiers import Bench
from authbench.scoring.verifiers.parameters import UnmaskingParameters

SHORTEST = 3  # characters of a text
SMOOTHED = 3  # points of a moving average


class _Fitted(NamedTuple):
    """Hold settings and seed, and a logistic regression of scikit-learn."""

    parameters: UnmaskingParameters
    seed: int
    regression: Any


def fit(train: pl.DataFrame, parameters: UnmaskingParameters, bench: Bench) -> _Fitted:
    from sklearn.linear_model import LogisticRegression

    seen = _features(train, parameters, bench.seed)
    known = np.isfinite(seen).all(axis=1)
    regression = LogisticRegression().fit(seen[known], train["same"].to_numpy()[known])
    return _Fitted(parameters, bench.seed, regression)


def probabilities(fitted: _Fitted, pairs: pl.DataFrame) -> F64:
    """Return the probability of the same author; 0.5 if a text of the pair has fewer than SHORTEST characters."""
    seen = _features(pairs, fitted.parameters, fitted.seed)
    known = np.isfinite(seen).all(axis=1)
    found = np.full(pairs.height, 0.5)
    if known.any():
        found[known] = fitted.regression.predict_proba(seen[known])[:, 1]
    return found


def _features(pairs: pl.DataFrame, parameters: UnmaskingParameters, seed: int) -> F64:
    """Return each pair's curve and its slope (pairs x points), by a hash of (seed, texts); NaN for texts too short."""
    points = parameters.rounds - SMOOTHED + 1
    found = np.full((pairs.height, 2 * points), np.nan)
    for row, (one, other) in enumerate(pairs.select("text1", "text2").iter_rows()):
        if min(len(one), len(other)) >= SHORTEST:
            key = keyed_hash(seed, "unmasking", one, other)
            drawn = curve(one, other, parameters, np.random.Generator(np.random.Philox(key)))
            even = np.interp(np.linspace(0, 1, points), np.linspace(0, 1, len(drawn)), drawn)
            found[row] = [*even, *np.gradient(even)]
    return found


def curve(one: str, other: str, parameters: UnmaskingParameters, chance: np.random.Generator) -> F64:
    """Return how well the two texts' chunks are separated in each round: 0 by chance, 1 always; smoothed.

    Returns:
        Means in [0, 1] over each SMOOTHED successive rounds, or over all if there are fewer: shape (rounds - SMOOTHED +
        1,), at least (1,).
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.model_selection import cross_validate
    from sklearn.svm import LinearSVC

    chunks, labels = _draw_chunks(one, other, parameters, chance)
    remove, folds = parameters.removed, parameters.folds
    rounds = max(1, min(parameters.rounds, (chunks.shape[1] - 1) // remove))
    accuracy = np.empty(rounds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for number in range(rounds):
            classifier = LinearSVC(random_state=int(chance.integers(1 << 31)))
            found = cross_validate(classifier, chunks, labels, cv=folds, return_estimator=True)
            accuracy[number] = max(0.0, 2 * (found["test_score"].mean() - 0.5))
            strongest = np.argsort(found["estimator"][0].coef_.ravel(), kind="stable")[::-1][:remove]
            chunks = np.delete(chunks, strongest, axis=1)
    width = min(SMOOTHED, rounds)
    return np.convolve(accuracy, np.ones(width) / width, mode="valid")


def _draw_chunks(
    one: str, other: str, parameters: UnmaskingParameters, chance: np.random.Generator
) -> tuple[F64, np.ndarray]:
    """Return how often each chunk has the most frequent trigrams (2 x chunks, trigrams), shuffled, and its text."""
    tokens = [trigrams(text) for text in (one, other)]
    count, size = parameters.chunks, parameters.chunk_trigrams
    known = sorted({*tokens[0], *tokens[1]})
    place = {token: number for number, token in enumerate(known)}
    rows = []
    for own in tokens:
        places = np.array([place[token] for token in own])
        drawn = places[chance.integers(len(places), size=(count, size))]
        rows += [np.bincount(chunk, minlength=len(known)) for chunk in drawn]
    table = np.stack(rows).astype(np.float64)
    frequent = np.argsort(-table.sum(axis=0), kind="stable")[: parameters.features]
    order = chance.permutation(2 * count)
    return table[order][:, frequent], np.repeat([1, 0], count)[order]


def trigrams(text: str) -> Sequence[str]:
    """
    >>> trigrams("abcd")
    ['abc', 'bcd']
    """
    return [text[start : start + SHORTEST] for start in range(len(text) - SHORTEST + 1)]
