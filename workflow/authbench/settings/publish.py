"""The section `publish`."""

from collections.abc import Sequence
from typing import Literal, TypedDict


class Publish(TypedDict):
    """The forms of a publication, and what its records say of it."""

    forms: Sequence[Literal["huggingface", "beir", "mteb", "trec", "pan", "steb"]]
    version: str
    date: str | None
    creators: Sequence[str]
    contact: str | None
    url: str | None
    publisher: str | None
    sha256: str | None
    doi: str | None
