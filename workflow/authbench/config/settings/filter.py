"""Type the section `filter`."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypedDict

from authbench.config.settings.values import DEFAULT, Count, Keywords, Language, Path, PlugInName, Share, Threshold

_Task = Annotated[str, Keywords(pattern="^[a-z][a-z0-9_]*$")]
ByTask = Count | Annotated[Mapping[_Task, Count], DEFAULT]  # `default`: all other tasks
ByLanguage = Threshold | None | Annotated[Mapping[Language, Share], DEFAULT]  # `default`: all other languages


class Filter(TypedDict):
    """Set the thresholds of the filters; None: the filter is off."""

    preset: Literal["robust", "paper"]
    unique_words: Threshold | None
    dominant_word: Threshold | None
    symbols: Threshold | None
    alphabetic: Threshold | None
    repeated_run: Threshold | None
    longest_run: Threshold | None
    symbol_run: Threshold | None
    alphabetic_words: Threshold | None
    single_letter_words: Threshold | None
    single_letter_run: Threshold | None
    script: ByLanguage
    language: Threshold | None
    min_tokens: ByTask
    max_tokens: ByTask
    posts_per_day: Threshold | None
    template_share: Threshold | None
    quoted_share: Threshold | None
    plugins: Mapping[PlugInName, float]  # thresholds of the filters of plug-ins
    exclude: Path | None
