"""The types of sampling_deviation.json: targets, what was available, and what was taken. Counts are of documents."""

from collections.abc import Mapping, Sequence
from typing import Literal, NotRequired, TypedDict, final

from authbench.config.settings.sample import Shortfall

Dimension = Literal["length", "genre"]


class Place(TypedDict):
    """A language, or a length class or genre pattern of it (`key`)."""

    language: str
    dimension: NotRequired[Dimension]
    key: NotRequired[str]


class DeviationRow(Place):
    """The target and result of a place; `target` and `deficit` are None if no target is stated.

    `held` counts what was available without the rule on authors, `refused` documents of inadmissible authors by reason,
    `filtered` documents that the filters dropped. `limited_by` is why the target was missed
    (`sample.deviation.limit_of`).
    """

    target: int | None
    available: int
    taken: int
    deficit: int | None
    held: NotRequired[int]
    refused: NotRequired[Mapping[str, int]]
    filtered: NotRequired[int]
    limited_by: NotRequired[str | None]


@final
class AllDocuments(TypedDict):
    """The number of documents in the settings (None if not set), and the number taken."""

    target: int | None
    taken: int


class Bound(TypedDict):
    """The sum of absolute deviations of all genres and lengths: the least possible and the reached sum."""

    least_deviation: float | None
    reached: float


class Deviation(TypedDict):
    """The whole file; `fallback_authors` counts authors with fewer documents than `min_documents_per_author`."""

    documents: AllDocuments
    shortfall: Shortfall
    languages: Sequence[DeviationRow]
    cells: Sequence[DeviationRow]
    bound: Bound
    fallback_authors: int
