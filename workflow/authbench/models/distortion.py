"""Remove topic from texts: mask all words except the most frequent of the language."""

from collections import Counter
from collections.abc import Mapping
from heapq import nsmallest

import polars as pl
import regex

from authbench.models.model import Reference

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}"
# A character of Han or Kana is a word.
_WORD = regex.compile(
    rf"[{_UNSPACED}]|[[\p{{L}}\p{{M}}]--[{_UNSPACED}]]+(?:['’][[\p{{L}}\p{{M}}]--[{_UNSPACED}]]+)*", regex.V1
)
_DIGIT = regex.compile(r"\p{N}")


def frequent_words(reference: Reference, count: int) -> dict[str, frozenset[str]]:
    """Return the most frequent words of each language in lower case; ties are broken by order.

    Memory: a batch, and about 100 bytes for each distinct word of a language.
    """
    often: dict[str, Counter[str]] = {}
    for batch in reference:
        for lang, text in batch.select("lang", "content").iter_rows():
            often.setdefault(lang, Counter()).update(_WORD.findall(text.lower()))
    return {lang: frozenset(_most_frequent(words, count)) for lang, words in often.items()}


def _most_frequent(often: Counter[str], count: int) -> list[str]:
    return nsmallest(count, often, key=lambda word: (-often[word], word))


def distorted(documents: pl.DataFrame, kept: Mapping[str, frozenset[str]]) -> pl.DataFrame:
    """Return the documents with an asterisk for each letter of words that are not kept, and a # for each digit."""
    texts = [
        distort(text, kept.get(lang, frozenset())) for lang, text in documents.select("lang", "content").iter_rows()
    ]
    return documents.with_columns(content=pl.Series(texts, dtype=pl.String))


def distort(text: str, kept: frozenset[str]) -> str:
    """Mask all words of a text except the kept ones.

    >>> distort("The cat sat on the mat in 1999.", frozenset({"the", "on", "in"}))
    'The *** *** on the *** in ####.'
    """
    masked = _WORD.sub(lambda found: found[0] if found[0].lower() in kept else "*" * len(found[0]), text)
    return _DIGIT.sub("#", masked)
