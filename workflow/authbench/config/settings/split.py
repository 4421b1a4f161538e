"""Type the section `split`."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypedDict

from authbench.config.settings.values import Characters, Count, Keywords, Path, PerCent, Share, SplitName

Unit = Literal["author", "document"]


class Containment(TypedDict):
    """Set when a text contains another: `share` of its shingles, for texts of at least `min_chars` characters."""

    shingle_chars: Characters
    share: Share
    min_chars: Count


class Bridge(TypedDict):
    """Set how large a group of linked authors may grow before its links are dropped."""

    documents: Count
    language_share: Share


class Split(TypedDict):
    """Set the splits, with `splits` in percent, and what must not cross them."""

    splits: Annotated[Mapping[SplitName, PerCent], Keywords(minProperties=2)]
    unit: Unit
    leak_threshold: Share
    containment: Containment
    bridge: Bridge
    lock: Path | None
