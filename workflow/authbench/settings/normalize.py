"""The section `normalize`."""

from collections.abc import Sequence
from typing import Literal, TypedDict


class NormalizeTexts(TypedDict):
    """What is masked, cut or unified in the texts of every source."""

    mask: Sequence[Literal["email", "phone", "handle", "url"]]
    quotes: Literal["keep", "straight"]
    own_name: Literal["mask", "keep"]
    edition_marks: Literal["unify", "keep"]
    signatures: Literal["cut", "keep"]
