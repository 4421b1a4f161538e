"""The section `release`."""

from collections.abc import Sequence
from typing import Literal, TypedDict


class Release(TypedDict):
    """Which documents are queries, which answer them, and what is taken down."""

    queries_per_author: Literal["all"] | int
    min_documents_for_query: int
    min_letters_for_query: int
    queries_in_candidates: bool
    positives: Literal["any", "other_work"]
    labels: Sequence[str]
    takedown: str | None
