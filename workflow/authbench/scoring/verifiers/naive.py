"""Score pairs as PAN's naive baseline does.

TF-IDF of the most frequent character n-grams, fitted on the train texts, cosine of the two texts, and thresholds p1 and
p2 found by grid search (`thresholds`).
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from authbench.core.arrays import F64, I64
from authbench.core.errors import InputError
from authbench.core.runtime.jit import compiled
from authbench.scoring.verifiers import Bench
from authbench.scoring.verifiers.parameters import NaiveParameters
from authbench.scoring.verifiers.texts import both_texts, distinct, text_cosines

SMALL = 16  # ranges of at most this many places are sorted by insertion


@compiled
def order_as_numpy_once_did(values: I64) -> I64:
    """Return the places of values in ascending order, equal values as `argsort` of numpy placed them before 1.25.

    PAN's figures date from then, and which of equally frequent n-grams a vocabulary keeps depends on it. Since then
    numpy's order of equal values depends on the processor. (Quicksort, median of three, insertion below SMALL.)
    """
    places = np.arange(len(values))
    starts, ends = np.empty(128, np.int64), np.empty(128, np.int64)
    held, left, right = 0, 0, len(values) - 1
    while True:
        while right - left > SMALL:
            middle = left + ((right - left) >> 1)
            if values[places[middle]] < values[places[left]]:
                places[middle], places[left] = places[left], places[middle]
            if values[places[right]] < values[places[middle]]:
                places[right], places[middle] = places[middle], places[right]
            if values[places[middle]] < values[places[left]]:
                places[middle], places[left] = places[left], places[middle]
            pivot = values[places[middle]]
            low, high = left, right - 1
            places[middle], places[high] = places[high], places[middle]
            while True:
                low += 1
                while values[places[low]] < pivot:
                    low += 1
                high -= 1
                while pivot < values[places[high]]:
                    high -= 1
                if low >= high:
                    break
                places[low], places[high] = places[high], places[low]
            places[low], places[right - 1] = places[right - 1], places[low]
            if low - left < right - low:
                starts[held], ends[held] = low + 1, right
                right = low - 1
            else:
                starts[held], ends[held] = left, low - 1
                left = low + 1
            held += 1
        for place in range(left + 1, right + 1):
            moved, at = places[place], place
            while at > left and values[moved] < values[places[at - 1]]:
                places[at] = places[at - 1]
                at -= 1
            places[at] = moved
        if held == 0:
            return places
        held -= 1
        left, right = starts[held], ends[held]


TEXTS_AT_ONCE = 2_000
PAIRS_AT_ONCE = 5_000


def fit(train: pl.DataFrame, parameters: NaiveParameters, bench: Bench) -> object:
    """Return the vectorizer of scikit-learn."""
    return fitted_vectorizer(both_texts(train), "char", parameters.n, parameters.vocabulary)


def fitted_vectorizer(texts: Sequence[str], analyzer: str, n: int, vocabulary: int) -> object:
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


def similarities(vectorizer: Any, pairs: pl.DataFrame) -> F64:
    """Return the cosine of each pair, shape (pairs,), 0 if a text has no known n-gram.

    Memory: the vectors of PAIRS_AT_ONCE pairs.
    """
    found = [np.empty(0)]
    for part in pairs.iter_slices(PAIRS_AT_ONCE):
        texts, first, second = distinct(part)
        found.append(text_cosines(vectorizer.transform(texts), first, second))
    return np.concatenate(found)
