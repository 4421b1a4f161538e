"""The section `sample`."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

Shares = Mapping[str, float]  # in percent


class FillUpTo(TypedDict):
    """Fill a quota's shortfall up to so many times what another was to have."""

    fill_up_to: float


Shortfall = Literal["fill", "proportional"] | FillUpTo


class Sample(TypedDict):
    """How many documents of which kinds, and how many of an author, are drawn; None: as many as there are."""

    documents: int | None
    languages: Shares | None
    lengths: Shares | None
    length_bins: Literal["fixed", "quantiles", "parity"]
    genres: Mapping[str, Shares] | None
    prefer_sources: Mapping[str, Sequence[str]]
    shortfall: Shortfall
    borrow: Literal["any", "adjacent"]
    min_documents_per_author: int
    max_documents_per_author: int
    fallback_documents_per_author: int | None
    min_origins: int
    spread: Literal["prefer", "ignore"]
    reservoir: int
    window: int
