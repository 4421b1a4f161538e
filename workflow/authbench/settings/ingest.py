"""The sections `ingest` and `authors`."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

Kind = Literal["person", "account", "outlet", "masked", "work"]


class Ingest(TypedDict):
    """How rows become records."""

    other_languages: Literal["drop", "keep"]
    genres: Sequence[str]
    author_key_env: str | None
    max_bad_rows: float
    max_record_bytes: int
    author_genres: bool
    fine_genres: bool
    required: Mapping[str, Sequence[str]]


class Authors(TypedDict):
    """Which author labels may be scored."""

    kinds: Sequence[Kind]
    masked_max_documents: int
    max_impurity: float | None
