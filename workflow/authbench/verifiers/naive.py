"""Do two texts use the same strings?

PAN's naive baseline: TF-IDF of the most frequent character n-grams, fitted on the train texts, cosine of the two
texts, and thresholds p1 and p2 found by grid search (`thresholds`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from authbench.dedup.arrays import F64
from authbench.errors import InputError
from authbench.verifiers import Bench
from authbench.verifiers.kernels import order_as_numpy_once_did
from authbench.verifiers.texts import both_texts, cosines, distinct
from authbench.verifiers.thresholds import Thresholds, rescale, search


@dataclass(frozen=True)
class Fitted:
    """A vectorizer of scikit-learn, and thresholds once it is calibrated."""

    vectorizer: Any
    thresholds: Thresholds | None = None


def fit(train: pl.DataFrame, parameters: Mapping[str, Any], bench: Bench) -> Fitted:
    return Fitted(fitted_vectorizer(both_texts(train), "char", parameters["n"], parameters["vocabulary"]))


def calibrate(fitted: Fitted, held_out: pl.DataFrame) -> Fitted:
    return replace(fitted, thresholds=search(held_out["same"].to_numpy(), similarities(fitted, held_out)))


def predict(fitted: Fitted, pairs: pl.DataFrame) -> F64:
    assert fitted.thresholds, "calibrate first"
    return rescale(similarities(fitted, pairs), fitted.thresholds)


def fitted_vectorizer(texts: Sequence[str], analyzer: str, n: int, vocabulary: int) -> Any:
    """TF-IDF of the most frequent n-grams (`analyzer`: char or word). Raises InputError where the texts have none."""
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

    counter = CountVectorizer(analyzer=analyzer, ngram_range=(n, n))
    try:
        counts = counter.fit_transform(texts)
    except ValueError as problem:
        if "no terms remain" in str(problem) or "empty vocabulary" in str(problem):
            raise InputError(f"No train text has a single {analyzer} {n}-gram to count. Give longer texts.") from None
        raise
    often = np.asarray(counts.sum(axis=0)).ravel().astype(np.int64)
    kept = np.sort(order_as_numpy_once_did(-often)[:vocabulary])
    words = counter.get_feature_names_out()[kept]
    return TfidfVectorizer(analyzer=analyzer, ngram_range=(n, n), vocabulary=words).fit(texts)


def similarities(fitted: Fitted, pairs: pl.DataFrame) -> F64:
    """The cosine of each pair, 0 where a text has no known n-gram."""
    texts, first, second = distinct(pairs)
    rows = fitted.vectorizer.transform(texts)
    return cosines(rows, first, second)
