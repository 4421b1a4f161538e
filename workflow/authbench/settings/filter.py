"""The section `filter`."""

from collections.abc import Mapping
from typing import Literal, TypedDict

ByTask = int | Mapping[str, int]  # by task type, with `default` for all others
ByLanguage = float | None | Mapping[str, float]  # by language, with `default` for all others


class Filter(TypedDict):
    """The thresholds of the filters; None: the filter is off."""

    preset: Literal["robust", "paper"]
    unique_words: float | None
    dominant_word: float | None
    symbols: float | None
    alphabetic: float | None
    repeated_run: float | None
    longest_run: float | None
    symbol_run: float | None
    alphabetic_words: float | None
    single_letter_words: float | None
    single_letter_run: float | None
    script: ByLanguage
    language: float | None
    min_tokens: ByTask
    max_tokens: ByTask
    posts_per_day: float | None
    template_share: float | None
    quoted_share: float | None
    exclude: str | None
