"""Parameters of verifiers, a dataclass for each kind. Defaults stand in schemas/verifier.schema.yaml."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from authbench.registry.plain import from_plain
from authbench.train.settings import TrainSettings


@dataclass(frozen=True)
class NaiveParameters:
    n: int
    vocabulary: int


@dataclass(frozen=True)
class PpmParameters:
    order: int
    radius: float


@dataclass(frozen=True)
class UnmaskingParameters:
    rounds: int
    features: int
    folds: int
    removed: int
    chunk_trigrams: int
    chunks: int


@dataclass(frozen=True)
class TopicfitParameters:
    masked: int
    vocabulary: int


@dataclass(frozen=True)
class EncoderParameters:
    """A model of the registry, as it is or tuned on the train pairs first."""

    model: str
    fine_tune: bool
    epochs: int = TrainSettings.epochs
    batch: int = TrainSettings.batch
    learning_rate: float = TrainSettings.learning_rate


@dataclass(frozen=True)
class ExternalParameters:
    command: str
    time_limit: float  # seconds


@dataclass(frozen=True)
class EnsembleParameters:
    members: tuple[str, ...]


Parameters: TypeAlias = (
    NaiveParameters
    | PpmParameters
    | UnmaskingParameters
    | TopicfitParameters
    | EncoderParameters
    | ExternalParameters
    | EnsembleParameters
)
KINDS: Mapping[str, type[Parameters]] = {
    "naive": NaiveParameters,
    "ppm": PpmParameters,
    "unmasking": UnmaskingParameters,
    "topicfit": TopicfitParameters,
    "model": EncoderParameters,
    "external": ExternalParameters,
    "ensemble": EnsembleParameters,
}


def parameters_of(kind: str, plain: Mapping[str, Any]) -> Parameters:
    """Return the parameters of a kind from plain values that fit the schema and are complete."""
    return from_plain(KINDS[kind], plain)
