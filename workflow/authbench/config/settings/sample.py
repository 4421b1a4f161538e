"""Type the section `sample`."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypedDict

from authbench.config.settings.values import Count, Keywords, Percentages

Shares = Mapping[str, float]  # in percent
_Sources = Annotated[Sequence[str], Keywords(minItems=1)]


class FillUpTo(TypedDict):
    """Fill the shortfall of a quota up to this multiple of another's target."""

    fill_up_to: Annotated[float, Keywords(minimum=1, maximum=1000)]


Shortfall = Literal["fill", "proportional"] | Annotated[FillUpTo, Keywords(required=["fill_up_to"])]


class Sample(TypedDict):
    """Set how many documents of which kinds, and how many of an author, are drawn; None: as many as there are."""

    documents: Count | None
    languages: Percentages | None
    lengths: Percentages | None
    length_bins: Literal["fixed", "quantiles", "parity"]
    genres: Mapping[str, Percentages] | None
    prefer_sources: Mapping[str, _Sources]
    shortfall: Annotated[
        Shortfall, Keywords(expected="fill, proportional, or {fill_up_to: N} with a number N from 1 on")
    ]
    borrow: Literal["any", "adjacent"]
    early_authors: Count | None
    min_documents_per_author: Count
    max_documents_per_author: Count
    fallback_documents_per_author: Count | None
    min_origins: Count
    draw: Literal["need", "uniform"]
    spread: Literal["prefer", "ignore"]
    reservoir: Count
    window: Count
