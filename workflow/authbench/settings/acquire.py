"""The section `acquire`."""

from typing import Literal, TypedDict


class Acquire(TypedDict):
    """How raw files are fetched; `share` is how much of the free disk one source may take."""

    share: float
    unverified: Literal["warn", "stop"]
