"""Type the section `normalize`."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypedDict

from authbench.config.settings.values import Keywords


class NormalizeTexts(TypedDict):
    """Set what is masked, cut or unified in the texts of every source."""

    mask: Annotated[Sequence[Literal["email", "phone", "handle", "url"]], Keywords(uniqueItems=True)]
    quotes: Literal["keep", "straight"]
    white_space: Literal["lines", "collapse"]
    final_newline: bool
    own_name: Literal["mask", "keep"]
    edition_marks: Literal["unify", "keep"]
    signatures: Literal["cut", "keep"]
