"""Score pairs by topic only, as a verifier that should not be trusted (HITS paper, "topic-fit model").

The most frequent words, which carry style, are masked, and the naive baseline compares the remaining words. It does
well only where topics reveal authors.
"""

import re
from collections import Counter
from collections.abc import Iterable

import polars as pl

from authbench.core.arrays import F64
from authbench.scoring.verifiers import Bench, naive
from authbench.scoring.verifiers.parameters import TopicfitParameters
from authbench.scoring.verifiers.texts import both_texts

WORD = re.compile(r"\w+")


def fit(train: pl.DataFrame, parameters: TopicfitParameters, bench: Bench) -> tuple[frozenset[str], object]:
    """Return the masked words, and the vectorizer of the others (`naive`)."""
    standing = both_texts(train)
    masked = most_frequent(standing, parameters.masked)
    without = {text: mask(text, masked) for text in set(standing)}
    return masked, naive.fitted_vectorizer([without[text] for text in standing], "word", 1, parameters.vocabulary)


def similarities(fitted: tuple[frozenset[str], object], pairs: pl.DataFrame) -> F64:
    """Return the `naive` cosine of each pair with masked words, each distinct text masked once, shape (pairs,)."""
    words, vectorizer = fitted
    columns = []
    for column in ("text1", "text2"):
        texts = pairs[column].unique()
        masked = pl.Series([mask(text, words) for text in texts], dtype=pl.String)
        columns.append(pairs[column].replace_strict(texts, masked, return_dtype=pl.String).alias(column))
    return naive.similarities(vectorizer, pairs.with_columns(columns))


def most_frequent(texts: Iterable[str], count: int) -> frozenset[str]:
    """Return the most frequent words in lower case, at most half of all words.

    Of equally frequent words the alphabetically first is taken.
    """
    often: Counter[str] = Counter()
    for text, times in Counter(texts).items():
        often.update({word: count * times for word, count in Counter(WORD.findall(text.lower())).items()})
    return frozenset(sorted(often, key=lambda word: (-often[word], word))[: min(count, len(often) // 2)])


def mask(text: str, words: frozenset[str]) -> str:
    """Return the text with an asterisk for each letter of these words.

    >>> mask("The dogs and cats", frozenset({"the", "and"}))
    '*** dogs *** cats'
    """
    return WORD.sub(lambda found: "*" * len(found[0]) if found[0].lower() in words else found[0], text)
