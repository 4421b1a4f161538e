"""The types of scores.json. A cell of scores, whose metrics are many, is open; what stands around it is not.

`schemas/scores.schema.yaml` states what a file of others must have.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from authbench.format.manifest import Verification

# Counts (`queries`, `authors`), metrics by name, `intervals`, `random_expectation`, `within_<pool>`, `headline`, ...
Cell = dict[str, Any]


class Gain(TypedDict):
    """A difference from the row `against`, in units of the score; the limits are of 95 % intervals over authors."""

    against: str
    value: float
    authors: int
    low: NotRequired[float]
    high: NotRequired[float]
    macro: NotRequired[float]
    macro_low: NotRequired[float]
    macro_high: NotRequired[float]
    p: NotRequired[float]
    chosen_on: NotRequired[str]


class HeadlineCell(TypedDict):
    """A headline score; `macro` is the mean over `languages`."""

    value: float
    authors: int
    queries: int
    groups: NotRequired[int]
    low: NotRequired[float]
    high: NotRequired[float]
    languages: NotRequired[Sequence[str]]
    macro: NotRequired[float]
    macro_low: NotRequired[float | None]
    macro_high: NotRequired[float | None]
    gain: NotRequired[Gain | None]
    gain_over_punctuation: NotRequired[Gain]


class ScoredModel(TypedDict):
    """What a model is: its entry as plain values (`models.entries.ModelEntry.as_dict`)."""

    name: str
    group: str
    title: str
    trained_on: Sequence[str]
    kind: NotRequired[str]
    parameters: NotRequired[Mapping[str, Any]]
    shortcut: NotRequired[bool]
    size: NotRequired[int]


class Benchmark(Verification):
    """The split that was scored; `pool_authors` counts authors of candidates by language."""

    name: str | None
    split: str
    checksum: str
    candidates: int
    queries: int
    pool_authors: NotRequired[Mapping[str, int]]
    unmeasured_sources: NotRequired[Sequence[str] | None]


class ScoringSettings(TypedDict):
    """How it was scored."""

    seed: int
    negatives_per_query: int
    fitted_on: NotRequired[str]


class Interval(TypedDict):
    """A value with its 95 % interval over authors."""

    value: float
    low: NotRequired[float]
    high: NotRequired[float]


class NoInterval(TypedDict):
    """Nothing, where a side has no pair."""


class ByLanguage(TypedDict):
    """Values of languages, and their mean where there are any."""

    languages: Mapping[str, Interval]
    value: NotRequired[float]


class MatchedPairs(TypedDict, total=False):
    """Equal error rates of the matched pairs: at one threshold, at one for each language, and query-normalised."""

    pairs: int
    eer: Interval | NoInterval
    eer_by_language: ByLanguage
    eer_by_language_normalised: ByLanguage


class Unsolved(TypedDict):
    """Success@5 over the queries that no shortcut solves, and what a random order scores there."""

    value: float
    by_chance: float
    authors: int
    queries: int
    low: NotRequired[float]
    high: NotRequired[float]


class Scores(TypedDict, total=False):
    """The file but for its facets (`by_language`, ...: `cells_of`) and `s@5_unsolved`, which is no name in Python."""

    model: ScoredModel
    benchmark: Benchmark
    made_by: Mapping[str, str | None]
    settings: ScoringSettings
    versions: Mapping[str, str]
    overall: Cell
    headline: Mapping[str, HeadlineCell]
    headline_left_out: Mapping[str, str]
    headline_on_dev: Mapping[str, Any]
    left_out: Mapping[str, str]
    matched_pairs: MatchedPairs
    power: Mapping[str, object]
    lengths: Mapping[str, Mapping[str, Mapping[str, float]]]
    by_source: Mapping[str, Cell]


def cells_of(scores: Scores, facet: str) -> Mapping[str, Cell]:
    """Return the cells of a facet by label; none where the file lacks it."""
    plain: Mapping[str, Any] = scores
    cells: Mapping[str, Cell] = plain.get(facet, {})
    return cells


def part_of(scores: Scores, part: str) -> Mapping[str, Any]:
    """Return one of the parts that say what was scored and how, such as `benchmark`. Raises KeyError for another."""
    plain: Mapping[str, Any] = scores
    found: Mapping[str, Any] = plain[part]
    return found


def headline_value(scores: Scores, score: str, key: str = "value") -> float | None:
    """Return a number of a headline score; None where there is no such score, or it lacks the number."""
    cell: Mapping[str, Any] = scores.get("headline", {}).get(score) or {}
    value = cell.get(key)
    return None if value is None else float(value)
