"""Type the section `safety`."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypedDict

from authbench.config.settings.values import Count, Keywords, Path, Sha256, Share

ScorerName = Literal["wordlist", "detoxify"]


class WordList(TypedDict):
    """Set the scorer that looks for listed words."""

    extra: Path | None


class Detoxify(TypedDict):
    """Set the scorer that runs a model, on at most `max_tokens` of a text."""

    model: Literal["original", "unbiased", "multilingual"]
    checkpoint: Path | None
    sha256: Sha256 | None
    huggingface_config_path: Path | None
    device: str
    batch_size: Count
    max_tokens: Count


class Safety(TypedDict):
    """Set which texts are too toxic to sample."""

    scorers: Annotated[Sequence[ScorerName], Keywords(minItems=1, uniqueItems=True)]
    threshold: Share
    exempt_genres: Sequence[str]
    scope: Literal["consulted", "all"]
    wordlist: WordList
    detoxify: Detoxify
