"""Type the section `dedup`."""

from typing import Literal, TypedDict

from authbench.config.settings.values import Characters, Count, FieldsByTask, Share


class Signing(TypedDict):
    """Set what a text's signature depends on."""

    shingle_chars: Characters
    bands: Count
    rows: Count


class Comparison(Signing):
    """Set which texts are similar, and the bands that find them."""

    threshold: Share
    comparisons_per_document: Count


class Copies(Comparison):
    """Set which texts count as copies."""

    cross_author_duplicates: Literal["keep_first", "drop_all"]


class Dedup(Copies):
    """Set which texts count as copies, the bands that find them, and which fields texts may not share."""

    unique: FieldsByTask
