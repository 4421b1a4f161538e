"""Measure the influence of topics on answers (overview of PAN 2021, section 7.1.3).

Topics come from non-negative matrix factorisation of TF-IDF vectors of content words, learnt from train pairs if
available. The cosine of a pair's topic vectors is compared with ground truth, scores and errors. For few texts, or
texts on a single topic, this is uninformative and is not reported.
"""

import warnings
from collections.abc import Mapping
from functools import cache
from typing import NotRequired, TypeAlias, TypedDict

import numpy as np
import polars as pl
import regex

from authbench.core.arrays import F64
from authbench.core.identity import keyed_hash
from authbench.scoring.metrics.pan import Truth
from authbench.scoring.verifiers.texts import distinct, text_cosines

MOST_WORDS = 5_000  # vocabulary size
WORD = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]|[\p{L}\p{M}]{2,}")
LEAST_DOCUMENTS, MOST_SHARE = 2, 0.5  # a content word is in at least two texts and at most half of them
ITERATIONS = 200
MOST_TEXTS = 10_000  # maximum texts of train pairs for learning topics
TEXTS_OF_A_TOPIC = 10  # minimum, on average
FEWEST_PAIRS = 20  # minimum for a regression
LEAST_SPREAD = 0.01  # minimum standard deviation of similarities or scores


def topic_similarities(
    pairs: pl.DataFrame, topics: int, seed: int = 0, train: pl.DataFrame | None = None
) -> tuple[F64, int]:
    """Return the cosine of each pair's topic vectors (L1-normalised), and the number of topics.

    There are fewer topics than requested if there are fewer words, or fewer than TEXTS_OF_A_TOPIC texts per topic. The
    cosine is 0 for a text without content words. Topics are learnt from MOST_TEXTS texts of `train`, drawn by hash, or
    else of the pairs.

    Content words are the MOST_WORDS most frequent words that are not function words of the benchmark's languages, and
    are in at least two texts and at most half of them. Memory: the texts, and matrices of texts x topics and topics x
    words.
    """
    from sklearn.decomposition import NMF
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    texts, first, second = distinct(pairs)
    learnt = texts if train is None else _drawn(distinct(train)[0], seed)
    vectorizer = TfidfVectorizer(
        tokenizer=content_words,
        token_pattern=None,
        min_df=LEAST_DOCUMENTS if len(learnt) > 2 * LEAST_DOCUMENTS else 1,
        max_df=MOST_SHARE if len(learnt) > 2 * LEAST_DOCUMENTS else 1.0,
        max_features=MOST_WORDS,
        dtype=np.float64,
    )
    try:
        words = vectorizer.fit_transform(learnt)
    except ValueError:  # no words left
        return np.zeros(pairs.height), 0
    used = max(1, min(topics, len(learnt) // TEXTS_OF_A_TOPIC, words.shape[1]))
    model = NMF(used, init="nndsvda", max_iter=ITERATIONS, tol=1e-3, random_state=seed % (1 << 32))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # ITERATIONS suffice to compare topics
        shares = model.fit_transform(words)
        if train is not None:
            shares = model.transform(vectorizer.transform(texts))
    shares = normalize(shares, norm="l1")
    return np.minimum(text_cosines(normalize(shares), first, second), 1.0), used


def _drawn(texts: list[str], seed: int) -> list[str]:
    if len(texts) <= MOST_TEXTS:
        return texts
    return sorted(sorted(texts, key=lambda text: (keyed_hash(seed, "topics", text), text))[:MOST_TEXTS])


def content_words(text: str) -> list[str]:
    """Return the non-function words of a text; for Chinese and Japanese, the characters."""
    known = _function_words()
    return [word for word in WORD.findall(text) if word not in known]


@cache
def _function_words() -> frozenset[str]:
    """Return the function words of the ten languages, with multi-word entries split into words."""
    from authbench.core.function_words import read_function_words

    return frozenset(
        word for words in read_function_words().values() for entry in words for word in WORD.findall(entry.lower())
    )


Spread: TypeAlias = Mapping[str, float | None]  # number of `pairs`, `mean` and `sd`; None without pairs


class Regression(TypedDict):
    """Regression of scores on topic similarities (`beta`, R squared) and the inverse's slope; None if `withheld`."""

    pairs: int
    beta: float | None
    r2: float | None
    beta_of_similarity: float | None
    withheld: NotRequired[str | None]


class Influence(TypedDict):
    """Relation of topic similarity to truth, scores and errors; `topics` are `learnt_from` train or test."""

    all: Spread  # of topic similarities
    same_author: Spread
    different_authors: Spread
    mann_whitney: Mapping[str, float] | None  # that same-author pairs are more similar, one-sided: `u` and `p`
    regression: Mapping[str, Regression]
    topics: NotRequired[int]
    learnt_from: NotRequired[str]


def influence(truth: Truth, scores: F64, similar: F64) -> Influence:
    """Return the relation of topic similarity to truth, scores and errors; undefined and withheld values are None.

    For all pairs, and for correctly and wrongly answered pairs: mean and standard deviation of the similarity, the
    one-sided Mann-Whitney test that same-author pairs are more similar, and the regression of scores on similarity.

    Args:
        truth: shape (n,), True where both texts are by the same author.
        scores: shape (n,), in [0, 1].
        similar: shape (n,), topic similarities of the texts of each pair.
    """
    from scipy.stats import mannwhitneyu

    answered, right = scores != 0.5, (scores > 0.5) == truth
    same, different = similar[truth], similar[~truth]
    found: Influence = {
        "all": _spread(similar),
        "same_author": _spread(same),
        "different_authors": _spread(different),
        "mann_whitney": None,
        "regression": {
            "all": _regression(similar, scores),
            "right": _regression(similar[answered & right], scores[answered & right]),
            "wrong": _regression(similar[answered & ~right], scores[answered & ~right]),
        },
    }
    if len(same) and len(different) and np.ptp(similar) > 0:
        test = mannwhitneyu(same, different, alternative="greater")
        found["mann_whitney"] = {"u": float(test.statistic), "p": float(test.pvalue)}
    return found


def _spread(values: F64) -> Spread:
    known = len(values) > 0
    return {
        "pairs": len(values),
        "mean": float(values.mean()) if known else None,
        "sd": float(values.std()) if known else None,
    }


def _regression(similar: F64, scores: F64) -> Regression:
    """Return the slope `beta` of score on topic similarity, R squared, and the inverse's slope `beta_of_similarity`.

    Only the latter can be the overview's 0.16, given the spread of its scores and similarities. `withheld` gives the
    reason for a missing slope: for few pairs, or pairs with little variation, a slope is arbitrary.
    """
    from scipy.stats import linregress

    result: Regression = {"pairs": len(scores), "beta": None, "r2": None, "beta_of_similarity": None}
    if len(scores) < FEWEST_PAIRS:
        return result | {"withheld": f"{len(scores)} pairs, and {FEWEST_PAIRS} are needed"}
    for what, values in (("similarities", similar), ("scores", scores)):
        if values.std() < LEAST_SPREAD:
            return result | {"withheld": f"the {what} hardly differ"}
    result["withheld"] = None
    line, other = linregress(similar, scores), linregress(scores, similar)
    return result | {"beta": float(line.slope), "r2": float(line.rvalue**2), "beta_of_similarity": float(other.slope)}
