"""Compute frequencies of function words, from a list per language.

Standardise features, as in Cosine Delta.

Each feature is measured in standard deviations from its mean over the candidates of the text's language, and vectors
are compared by their angle.

Source: Evert et al. 2017, "Understanding and explaining Delta measures".
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache

import numpy as np
import polars as pl
import regex

from authbench.core.arrays import F32, F64
from authbench.core.function_words import read_function_words

_ROWS = 1_000  # scaled to length 1 at a time
MOST = 5.0  # deviations are clipped here: a rare word in a short text would outweigh all others


def standardised(features: F64, languages: pl.Series, candidates: int) -> F32:
    """Return L2-normalised deviations (texts x features); a feature that never varies in a language is 0 there."""
    rows = np.zeros(features.shape, np.float32)
    codes = (languages.rank("dense") - 1).to_numpy()
    for code in np.unique(codes):
        own = np.flatnonzero(codes == code)
        rows[own] = _deviations(features[own], int((own < candidates).sum()))
    return _of_length_1(rows)


def _deviations(features: F64, candidates: int) -> F32:
    """Return the deviations of the texts of a language, candidates first, from the means of the candidates."""
    rows = np.zeros(features.shape, np.float32)
    if candidates:
        spread = features[:candidates].std(axis=0)
        varies = spread > 0
        scaled = features[:, varies]
        scaled -= features[:candidates].mean(axis=0)[varies]
        scaled /= spread[varies]
        rows[:, varies] = np.clip(scaled, -MOST, MOST)
    return rows


def _of_length_1(rows: F32) -> F32:
    """Scale the rows to length 1, in place, and return them; rows of zeros are unchanged."""
    for start in range(0, len(rows), _ROWS):
        part = rows[start : start + _ROWS]
        part /= np.maximum(np.linalg.norm(part, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return rows


UNSPACED = ("zh", "ja")
WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}]+)*")


def function_word_vectors(documents: pl.DataFrame, candidates: int, *_: object) -> F32:
    """Return standardised frequencies of the function words of each text's language.

    A language without a list has zeros. The shape is (documents, words of all languages).
    """
    lists = read_function_words()
    starts = dict(zip(lists, np.cumsum([0, *map(len, lists.values())])[:-1].tolist(), strict=True))
    rows = np.zeros((documents.height, sum(map(len, lists.values()))), np.float32)
    numbered = documents.select("lang", "content", row=pl.int_range(pl.len()))
    for (language,), part in numbered.group_by("lang", maintain_order=True):
        if (lang := str(language)) in lists:
            table = np.empty((part.height, len(lists[lang])))
            for place, text in enumerate(part["content"]):
                table[place] = frequencies(text, lang, lists[lang])
            own = part["row"].to_numpy()
            columns = slice(starts[lang], starts[lang] + len(lists[lang]))
            rows[own, columns] = _deviations(table, int((own < candidates).sum()))
    return _of_length_1(rows)


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
