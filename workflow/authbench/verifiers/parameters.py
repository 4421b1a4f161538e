"""Parameters of verifiers, a dataclass for each kind. Defaults stand in schemas/verifier.schema.yaml."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

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
class LambdagParameters:
    """Of LambdaG.

    Attributes:
        order: tokens of the longest n-gram.
        smoothing: as the package `lambdag` calls it.
        references: grammars of other authors that a pair is compared with.
        calibration: what makes a probability of a score, as the package calls it.
        basis: tokens or characters.
        mask: what is masked, `function_words` all but these, or `none`.
        population: texts of the train pairs that references are drawn from, at most.
        calibration_pairs: pairs that the calibration is fitted on, at most.
    """

    order: int
    smoothing: str
    references: int
    calibration: str
    basis: str
    mask: str
    population: int
    calibration_pairs: int


@dataclass(frozen=True)
class ImpostorsParameters:
    """Of the impostors method.

    Attributes:
        n: characters of an n-gram.
        vocabulary: how many of the most frequent n-grams count.
        rounds: random parts of the n-grams that are tried for a pair, each way.
        share: of the n-grams that are in such a part.
        candidates: the texts of others that are most like a text, at most.
        impostors: drawn of these in every round.
        population: texts of the train pairs that candidates are looked for in, at most.
        calibration_pairs: pairs that thresholds are chosen on, at most.
    """

    n: int
    vocabulary: int
    rounds: int
    share: float
    candidates: int
    impostors: int
    population: int
    calibration_pairs: int


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
    | LambdagParameters
    | ImpostorsParameters
    | EncoderParameters
    | ExternalParameters
    | EnsembleParameters
)
KINDS: Mapping[str, type[Parameters]] = {
    "naive": NaiveParameters,
    "ppm": PpmParameters,
    "unmasking": UnmaskingParameters,
    "topicfit": TopicfitParameters,
    "lambdag": LambdagParameters,
    "impostors": ImpostorsParameters,
    "model": EncoderParameters,
    "external": ExternalParameters,
    "ensemble": EnsembleParameters,
}


def parameters_of(kind: str, plain: Mapping[str, object]) -> Parameters:
    """Return the parameters of a kind from plain values that fit the schema and are complete."""
    return from_plain(KINDS[kind], plain)
