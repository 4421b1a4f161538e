"""Type the section `acquire`."""

from typing import Annotated, Literal, TypedDict

from authbench.settings.values import Keywords


class Acquire(TypedDict):
    """Set how raw files are fetched; `share` is how much of the free disk one source may take."""

    share: Annotated[float, Keywords(exclusiveMinimum=0, maximum=1)]
    unverified: Literal["warn", "stop"]
