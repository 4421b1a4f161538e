"""Learn topics of content words by non-negative matrix factorisation of their TF-IDF.

Content words are the MOST_WORDS most frequent words that are in at least two texts and at most half of them, and are
not function words of the benchmark's languages; in Chinese and Japanese they are characters.
"""

import warnings
from collections.abc import Sequence
from functools import cache
from heapq import nsmallest

import numpy as np
import regex

from authbench.core.arrays import F64
from authbench.core.identity import keyed_hash

MOST_WORDS = 5_000  # vocabulary size
WORD = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]|[\p{L}\p{M}]{2,}")
LEAST_DOCUMENTS, MOST_SHARE = 2, 0.5  # a content word is in at least two texts and at most half of them
ITERATIONS = 200
MOST_TEXTS = 10_000  # that topics are learnt from
TEXTS_OF_A_TOPIC = 10  # minimum, on average


def topic_vectors(learnt: Sequence[str], texts: Sequence[str], topics: int, seed: int) -> tuple[F64, int]:
    """Return vectors of topics of length 1, shape (texts, topics), and the number of topics, learnt from `learnt`.

    There are fewer topics than requested if there are fewer words, or fewer than TEXTS_OF_A_TOPIC texts per topic. A
    text without content words has a row of zeros. Memory: the texts, and matrices of texts x topics and topics x words.
    """
    from sklearn.decomposition import NMF
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize
    from threadpoolctl import threadpool_limits  # scikit-learn brings it

    many = len(learnt) > 2 * LEAST_DOCUMENTS
    vectorizer = TfidfVectorizer(
        tokenizer=content_words,
        token_pattern=None,
        min_df=LEAST_DOCUMENTS if many else 1,
        max_df=MOST_SHARE if many else 1.0,
        max_features=MOST_WORDS,
        dtype=np.float64,
    )
    try:
        words = vectorizer.fit_transform(learnt)
    except ValueError:  # no words left
        return np.zeros((len(texts), 1)), 0
    used = max(1, min(topics, len(learnt) // TEXTS_OF_A_TOPIC, words.shape[1]))
    model = NMF(used, init="nndsvda", max_iter=ITERATIONS, tol=1e-3, random_state=seed % (1 << 32))
    with threadpool_limits(1), warnings.catch_warnings():  # the number of threads would change the last digits
        warnings.simplefilter("ignore", ConvergenceWarning)  # ITERATIONS suffice to compare topics
        shares = model.fit_transform(words)
        if texts is not learnt:
            shares = model.transform(vectorizer.transform(texts))
    return normalize(shares), used


def draw_texts(texts: Sequence[str], seed: int) -> list[str]:
    """Return the MOST_TEXTS texts with the lowest hashes, in alphabetical order."""
    return sorted(nsmallest(MOST_TEXTS, texts, key=lambda text: (keyed_hash(seed, "topics", text), text)))


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
