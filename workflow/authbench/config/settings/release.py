"""Type the section `release`."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypedDict

from authbench.config.settings.values import DEFAULT, Count, Keywords, Language, Path
from authbench.core.content_words import Topic

_Label = Annotated[str, Keywords(pattern="^[a-z][a-z0-9_]{0,40}$")]


class Release(TypedDict):
    """Set which documents are queries, which answer them, and what is taken down."""

    ids: Literal["hashed", "sorted"]
    queries_per_author: Annotated[Literal["all"] | Count, Keywords(expected="all, or a whole number from 1")]
    min_documents_for_query: Annotated[int, Keywords(minimum=2, maximum=2**31 - 1)]
    min_letters_for_query: Count | Annotated[Mapping[Language, Count], DEFAULT]
    queries_in_candidates: bool
    positives: Literal["any", "other_work"]
    topic: Topic
    labels: Annotated[Sequence[_Label], Keywords(uniqueItems=True)]
    takedown: Path | None
