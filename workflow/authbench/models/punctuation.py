"""Measure rates of punctuation marks (category P, any script), without letters."""

from collections import Counter

import numpy as np
import polars as pl
import regex

from authbench.models.parameters import PunctuationParameters
from authbench.models.standardise import F32, standardised

_MARK = regex.compile(r"\p{P}")


def punctuation_vectors(documents: pl.DataFrame, candidates: int, parameters: PunctuationParameters) -> F32:
    """Return standardised square roots of the marks' shares of characters, shape (documents, marks in use)."""
    counted = [Counter(_MARK.findall(text)) for text in documents["content"]]
    column = {mark: place for place, mark in enumerate(sorted(set().union(*counted)))}
    table = np.zeros((len(counted), max(1, len(column))))
    for row, (marks, text) in enumerate(zip(counted, documents["content"], strict=True)):
        for mark, count in marks.items():
            table[row, column[mark]] = np.sqrt(count / len(text))
    return standardised(table, documents["lang"], candidates)
