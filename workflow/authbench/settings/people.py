"""Type the sections `review` and `people`."""

from typing import Annotated, TypedDict

from authbench.settings.values import Count, Files, Keywords


class Review(TypedDict):
    """Set how many texts of a cell are drawn for readers, and the files of their verdicts."""

    texts_per_cell: Count
    verdicts: Files


class People(TypedDict):
    """Set how many pairs people judge, and the files of their verdicts."""

    pairs_per_language: Annotated[
        int, Keywords(minimum=2, maximum=10000, multipleOf=2, expected="an even number from 2 to 10000")
    ]
    verdicts: Files
