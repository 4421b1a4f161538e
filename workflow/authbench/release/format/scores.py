"""The types of scores.json. A cell of scores is open, since there are many metrics; the structure around it is closed.

`schemas/scores.schema.yaml` states the requirements for files from elsewhere.
"""

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from authbench.core.json_values import JsonMapping, JsonObject
from authbench.release.format.manifest import Verification

# Counts (`queries`, `authors`), metrics by name, `intervals`, `random_expectation`, `within_<pool>`, `headline`, ...
Cell = JsonObject


class Interval(TypedDict):
    """A value with its 95 % interval over authors."""

    value: float
    low: NotRequired[float]
    high: NotRequired[float]


class Gain(Interval):
    """A difference from the row `against`, in units of the score."""

    against: str
    authors: int
    macro: NotRequired[float]
    macro_low: NotRequired[float]
    macro_high: NotRequired[float]
    p: NotRequired[float]
    chosen_on: NotRequired[str]


class HeadlineCell(Interval):
    """A headline score; `macro` is the mean over `languages`."""

    authors: int
    queries: int
    groups: NotRequired[int]
    languages: NotRequired[Sequence[str]]
    macro: NotRequired[float]
    macro_low: NotRequired[float | None]
    macro_high: NotRequired[float | None]
    gain: NotRequired[Gain | None]
    gain_over_punctuation: NotRequired[Gain]


class ScoredModel(TypedDict):
    """The entry of a model as plain values (`models.entries.ModelEntry.as_dict`)."""

    name: str
    group: str
    title: str
    trained_on: Sequence[str]
    kind: NotRequired[str]
    parameters: NotRequired[JsonMapping]
    shortcut: NotRequired[bool]
    size: NotRequired[int]


class Benchmark(Verification):
    """The scored split; `pool_authors` counts authors of candidates by language."""

    name: str | None
    version: NotRequired[str | None]
    split: str
    checksum: str
    candidates: int
    queries: int
    pool_authors: NotRequired[Mapping[str, int]]
    unmeasured_sources: NotRequired[Sequence[str] | None]


class ScoringSettings(TypedDict):
    """The settings of the scoring."""

    seed: int
    negatives_per_query: int
    fitted_on: NotRequired[str]


class NoInterval(TypedDict):
    """An empty object, for a side without pairs."""


class ByLanguage(TypedDict):
    """Values of languages, and their mean if there are any."""

    languages: Mapping[str, Interval]
    value: NotRequired[float]


class MatchedPairs(TypedDict, total=False):
    """Equal error rates of the matched pairs: with a threshold for all or per language, and query-normalised."""

    pairs: int
    eer: Interval | NoInterval
    eer_by_language: ByLanguage
    eer_by_language_normalised: ByLanguage


class Unsolved(Interval):
    """Success@5 over the queries that no shortcut solves, and the score of a random order there."""

    by_chance: float
    authors: int
    queries: int


class Scores(TypedDict, total=False):
    """The file except for its facets (`by_language`, ...: `cells_of`) and `s@5_unsolved`, not a Python name."""

    model: ScoredModel
    benchmark: Benchmark
    made_by: Mapping[str, str | None]
    settings: ScoringSettings
    versions: Mapping[str, str]
    metrics: Mapping[str, str]  # of plug-ins: what each measures
    overall: Cell
    headline: Mapping[str, HeadlineCell]
    headline_left_out: Mapping[str, str]
    headline_on_dev: JsonMapping
    left_out: Mapping[str, str]
    matched_pairs: MatchedPairs
    power: Mapping[str, object]
    lengths: Mapping[str, Mapping[str, Mapping[str, float]]]
    by_source: Mapping[str, Cell]


def cells_of(scores: Scores, facet: str) -> Mapping[str, Cell]:
    """Return the cells of a facet by label; empty if the file lacks it."""
    plain: JsonMapping = scores
    cells: Mapping[str, Cell] = plain.get(facet, {})
    return cells


def part_of(scores: Scores, part: str) -> Mapping[str, object]:
    """Return a part on what was scored and how, such as `benchmark`. Raises KeyError for any other part."""
    plain: JsonMapping = scores
    found: JsonMapping = plain[part]
    return found


def headline_value(scores: Scores, score: str, key: str = "value") -> float | None:
    """Return a number of a headline score; None if the score or the number is missing."""
    cell: JsonMapping = scores.get("headline", {}).get(score) or {}
    value = cell.get(key)
    return None if value is None else float(value)
