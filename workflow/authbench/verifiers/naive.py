"""Score pairs as PAN's naive baseline does.

TF-IDF of the most frequent character n-grams, fitted on the train texts, cosine of the two texts, and thresholds p1 and
p2 found by grid search (`thresholds`).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from authbench.arrays import F64
from authbench.errors import InputError
from authbench.verifiers import Bench
from authbench.verifiers.parameters import NaiveParameters
from authbench.verifiers.texts import both_texts, distinct, text_cosines
from authbench.verifiers.thresholds import Thresholds, rescale, search
from authbench.verifiers.vocabulary_order import order_as_numpy_once_did

TEXTS_AT_ONCE = 2_000
PAIRS_AT_ONCE = 5_000


@dataclass(frozen=True)
class Fitted:
    """Hold a vectorizer of scikit-learn, and thresholds once calibrated."""

    vectorizer: Any
    thresholds: Thresholds | None = None


def fit(train: pl.DataFrame, parameters: NaiveParameters, bench: Bench) -> Fitted:
    return Fitted(fitted_vectorizer(both_texts(train), "char", parameters.n, parameters.vocabulary))


def calibrate(fitted: Fitted, held_out: pl.DataFrame) -> Fitted:
    return replace(fitted, thresholds=search(held_out["same"].to_numpy(), similarities(fitted, held_out)))


def predict(fitted: Fitted, pairs: pl.DataFrame) -> F64:
    """Return the rescaled cosine of each pair, in [0, 1], shape (pairs,)."""
    assert fitted.thresholds, "calibrate first"
    return rescale(similarities(fitted, pairs), fitted.thresholds)


def fitted_vectorizer(texts: Sequence[str], analyzer: str, n: int, vocabulary: int) -> Any:
    """Return TF-IDF of the most frequent n-grams (`analyzer`: char or word). Raises InputError if the texts have none.

    Each distinct text is counted once and weighted by its frequency, TEXTS_AT_ONCE at a time. Memory: the texts, and
    two numbers for each distinct n-gram.
    """
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

    often: Counter[str] = Counter()
    holding: Counter[str] = Counter()
    standing = Counter(texts)
    different = list(standing)
    for first in range(0, len(different), TEXTS_AT_ONCE):
        here = different[first : first + TEXTS_AT_ONCE]
        counter = CountVectorizer(analyzer=analyzer, ngram_range=(n, n))
        try:
            counts = counter.fit_transform(here)
        except ValueError as problem:
            if "no terms remain" in str(problem) or "empty vocabulary" in str(problem):
                continue
            raise
        names = counter.get_feature_names_out().tolist()
        times = np.array([standing[text] for text in here], np.int64)
        often.update(dict(zip(names, (counts.T @ times).tolist(), strict=True)))
        counts.data[:] = 1
        holding.update(dict(zip(names, (counts.T @ times).tolist(), strict=True)))
    if not often:
        raise InputError(f"No train text has a single {analyzer} {n}-gram to count. Give longer texts.")
    known = sorted(often)
    order = order_as_numpy_once_did(-np.array([often[name] for name in known], np.int64))
    kept = [known[place] for place in np.sort(order[:vocabulary])]
    vectorizer = TfidfVectorizer(analyzer=analyzer, ngram_range=(n, n), vocabulary=kept)
    vectorizer.idf_ = np.log((1 + len(texts)) / (1 + np.array([holding[name] for name in kept]))) + 1
    return vectorizer


def similarities(fitted: Fitted, pairs: pl.DataFrame) -> F64:
    """Return the cosine of each pair, shape (pairs,), 0 if a text has no known n-gram.

    Memory: the vectors of PAIRS_AT_ONCE pairs.
    """
    found = [np.empty(0)]
    for part in pairs.iter_slices(PAIRS_AT_ONCE):
        texts, first, second = distinct(part)
        found.append(text_cosines(fitted.vectorizer.transform(texts), first, second))
    return np.concatenate(found)
