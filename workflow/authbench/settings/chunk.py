"""The section `chunk`."""

from collections.abc import Sequence
from typing import TypedDict


class Chunk(TypedDict):
    """How long texts are cut; lengths in tokens."""

    max_tokens: int
    min_tokens: int
    remainder_tokens: int
    extra_long_share: float
    extra_long_tokens: Sequence[int]
    max_chunks_per_document: int
    retag: str | None
