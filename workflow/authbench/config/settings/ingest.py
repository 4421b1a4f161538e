"""Type the sections `ingest` and `authors`."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypedDict

from authbench.config.settings.values import Count, FieldsByTask, Keywords, Share

Kind = Literal["person", "account", "outlet", "masked", "work"]
_Genre = Annotated[
    str,
    Keywords(pattern="^[a-z][a-z_]*$(?!\\n)", maxLength=40, expected="a genre of small letters (a-z) and underscores"),
]
_Variable = Annotated[
    str, Keywords(pattern="^[A-Za-z_][A-Za-z0-9_]*$(?!\\n)", expected="the name of an environment variable")
]


class Ingest(TypedDict):
    """Set how rows become records."""

    other_languages: Literal["drop", "keep"]
    genres: Annotated[Sequence[_Genre], Keywords(uniqueItems=True)]
    co_authored: Literal["work", "label"]
    author_ids: Literal["person", "source"]
    author_key_env: _Variable | None
    max_bad_rows: Share
    max_record_bytes: Count
    author_genres: bool
    fine_genres: bool
    unstated_genre: Literal["unknown", "general"]
    required: FieldsByTask


class Authors(TypedDict):
    """Set which author labels may be scored."""

    kinds: Annotated[Sequence[Kind], Keywords(minItems=1, uniqueItems=True)]
    masked_max_documents: Count
    max_impurity: Share | None
