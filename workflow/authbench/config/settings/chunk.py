"""Type the section `chunk`."""

from collections.abc import Sequence
from typing import Annotated, TypedDict

from authbench.config.settings.values import Count, Keywords, Path, Share


class Chunk(TypedDict):
    """Set how long texts are cut; lengths in tokens."""

    max_tokens: Count
    min_tokens: Count
    remainder_tokens: Count
    extra_long_share: Share
    extra_long_tokens: Annotated[Sequence[Count], Keywords(minItems=2, maxItems=2)]
    max_chunks_per_document: Count
    retag: Path | None
