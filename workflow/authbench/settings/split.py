"""The section `split`."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypedDict

from authbench.settings.values import Characters, Count, Keywords, Path, PerCent, Share, SplitName

Unit = Literal["author", "document"]


class Containment(TypedDict):
    """When a text contains another: `share` of its shingles, of a text of `min_chars` characters or more."""

    shingle_chars: Characters
    share: Share
    min_chars: Count


class Bridge(TypedDict):
    """How large a group of linked authors may grow before what links it is dropped."""

    documents: Count
    language_share: Share


class Split(TypedDict):
    """What the splits are and what must not straddle them; `splits` in percent."""

    splits: Annotated[Mapping[SplitName, PerCent], Keywords(minProperties=2)]
    unit: Unit
    leak_threshold: Share
    containment: Containment
    bridge: Bridge
    lock: Path | None
