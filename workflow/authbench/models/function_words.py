"""Compute frequencies of function words, from a list per language."""

from collections import Counter
from collections.abc import Sequence
from functools import cache

import numpy as np
import polars as pl
import regex

from authbench.function_words import read_function_words
from authbench.models.parameters import FunctionWordsParameters
from authbench.models.standardise import F32, standardised

UNSPACED = ("zh", "ja")
WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}]+)*")


def function_word_vectors(documents: pl.DataFrame, candidates: int, parameters: FunctionWordsParameters) -> F32:
    """Return standardised frequencies of the function words of each text's language.

    A language without a list has zeros. The shape is (documents, words of all languages).
    """
    lists = read_function_words()
    starts = dict(zip(lists, np.cumsum([0, *map(len, lists.values())])[:-1].tolist(), strict=True))
    table = np.zeros((documents.height, sum(map(len, lists.values()))))
    for row, (lang, text) in enumerate(documents.select("lang", "content").iter_rows()):
        if lang in lists:
            start = starts[lang]
            table[row, start : start + len(lists[lang])] = frequencies(text, lang, lists[lang])
    return standardised(table, documents["lang"], candidates)


def frequencies(text: str, lang: str, entries: Sequence[str]) -> list[float]:
    """Return how often each entry occurs, per word of the text (Chinese, Japanese: per character)."""
    text = text.lower().replace("’", "'")
    if lang in UNSPACED:
        return [text.count(entry) / max(1, len(text)) for entry in entries]
    words = WORD.findall(text)
    total = max(1, len(words))
    counted: Counter[str] = Counter(words)
    longest, endings = _forms(tuple(entries))
    for size in range(2, longest + 1):
        counted.update(map(" ".join, zip(*(words[start:] for start in range(size)), strict=False)))
    if endings:
        counted.update(f"-{word[-size:]}" for word in words for size in (1, 2, 3) if len(word) > size)
    return [counted.get(entry, 0) / total for entry in entries]


@cache
def _forms(entries: tuple[str, ...]) -> tuple[int, bool]:
    """Return the number of words of the longest entry, and whether any entry is an ending."""
    return max(len(entry.split()) for entry in entries), any(entry.startswith("-") for entry in entries)
