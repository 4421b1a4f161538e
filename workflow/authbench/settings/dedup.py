"""The section `dedup`."""

from typing import Literal, TypedDict


class Dedup(TypedDict):
    """Which texts count as copies, and the bands that find them."""

    threshold: float
    shingle_chars: int
    bands: int
    rows: int
    comparisons_per_document: int
    cross_author_duplicates: Literal["keep_first", "drop_all"]
