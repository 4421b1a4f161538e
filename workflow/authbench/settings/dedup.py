"""The section `dedup`."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict


class Dedup(TypedDict):
    """Which texts count as copies, the bands that find them, and which fields texts may not share."""

    threshold: float
    shingle_chars: int
    bands: int
    rows: int
    comparisons_per_document: int
    cross_author_duplicates: Literal["keep_first", "drop_all"]
    unique: Mapping[str, Sequence[str]]
