"""The section `safety`."""

from collections.abc import Sequence
from typing import Literal, TypedDict

ScorerName = Literal["wordlist", "detoxify"]


class WordList(TypedDict):
    """The scorer that looks for listed words."""

    extra: str | None


class Detoxify(TypedDict):
    """The scorer that runs a model; `max_tokens` of a text at most."""

    model: Literal["original", "unbiased", "multilingual"]
    checkpoint: str | None
    sha256: str | None
    huggingface_config_path: str | None
    device: str
    batch_size: int
    max_tokens: int


class Safety(TypedDict):
    """Which texts are too toxic to sample."""

    scorers: Sequence[ScorerName]
    threshold: float
    exempt_genres: Sequence[str]
    scope: Literal["consulted", "all"]
    wordlist: WordList
    detoxify: Detoxify
