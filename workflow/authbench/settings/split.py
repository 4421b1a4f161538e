"""The section `split`."""

from collections.abc import Mapping
from typing import Literal, TypedDict

Unit = Literal["author", "document"]


class Containment(TypedDict):
    """When a text contains another: `share` of its shingles, of a text of `min_chars` characters or more."""

    shingle_chars: int
    share: float
    min_chars: int


class Bridge(TypedDict):
    """How large a group of linked authors may grow before what links it is dropped."""

    documents: int
    language_share: float


class Split(TypedDict):
    """What the splits are and what must not straddle them; `splits` in percent."""

    splits: Mapping[str, float]
    unit: Unit
    leak_threshold: float
    containment: Containment
    bridge: Bridge
    lock: str | None
