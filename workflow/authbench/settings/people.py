"""The sections `review` and `people`."""

from collections.abc import Sequence
from typing import TypedDict


class Review(TypedDict):
    """How many texts of a cell are drawn for readers, and the files of their verdicts."""

    texts_per_cell: int
    verdicts: Sequence[str]


class People(TypedDict):
    """How many pairs people judge, and the files of their verdicts."""

    pairs_per_language: int
    verdicts: Sequence[str]
