"""The section `dedup`."""

from typing import Literal, TypedDict

from authbench.settings.values import Characters, Count, FieldsByTask, Share


class Dedup(TypedDict):
    """Which texts count as copies, the bands that find them, and which fields texts may not share."""

    threshold: Share
    shingle_chars: Characters
    bands: Count
    rows: Count
    comparisons_per_document: Count
    cross_author_duplicates: Literal["keep_first", "drop_all"]
    unique: FieldsByTask
