"""Define the parameters of verifiers: a dataclass for each kind, which determines what entries may state."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from authbench.config.registry.typed_schema import COMPUTED, from_plain
from authbench.config.settings.values import Count, Keywords, PlugInName, Text

AtLeastTwo = Annotated[int, Keywords(minimum=2)]
Order = Annotated[int, Keywords(minimum=1, maximum=32)]


class Parameters:
    """Be the base of the parameters of all kinds."""


@dataclass(frozen=True)
class NaiveParameters(Parameters):
    """Set the characters of an n-gram, and how many of the most frequent n-grams count."""

    n: Count = 4
    vocabulary: Count = 3000


@dataclass(frozen=True)
class PpmParameters(Parameters):
    """Set the characters of the longest context; a probability within `radius` of 0.5 is not an answer."""

    order: Annotated[int, Keywords(minimum=0, maximum=32)] = 5
    radius: Annotated[float, Keywords(minimum=0, maximum=0.5)] = 0.05


@dataclass(frozen=True)
class UnmaskingParameters(Parameters):
    """Set the parameters of unmasking.

    Attributes:
        features: how many of the most frequent trigrams count.
        removed: features removed in each round.
        chunks: of each text.
    """

    rounds: Annotated[int, Keywords(minimum=4)] = 35
    features: AtLeastTwo = 200
    folds: AtLeastTwo = 10
    removed: Count = 4
    chunk_trigrams: Count = 700
    chunks: AtLeastTwo = 60


@dataclass(frozen=True)
class TopicfitParameters(Parameters):
    """Set how many of the most frequent words are masked, and how many of the most frequent remaining words count."""

    masked: Annotated[int, Keywords(minimum=0)] = 500
    vocabulary: Count = 3000


@dataclass(frozen=True)
class LambdagParameters(Parameters):
    """Set the parameters of LambdaG.

    Attributes:
        order: tokens of the longest n-gram.
        smoothing: as named in the package `lambdag`, with discount 0.75; without the special handling of sentence
            starts, the start is a token like others.
        references: grammars of other authors that a pair is compared with (100 in the paper).
        calibration: how a score becomes a probability, as named in the package; the last two need no pairs.
        mask: `function_words` replaces all other words by a sign; `none` is for texts that are already masked.
        population: maximum number of texts of the train pairs from which references are drawn.
        calibration_pairs: maximum number of pairs on which the calibration is fitted.
    """

    order: Order = 10
    smoothing: Literal["kneser_ney", "kneser_ney_shb_disabled"] = "kneser_ney"
    references: Count = 30
    calibration: Literal["logistic_regression", "logistic_regression_no_intercept", "square_root", "hapax"] = (
        "logistic_regression"
    )
    basis: Literal["tokens", "characters"] = "tokens"
    mask: Literal["function_words", "none"] = "function_words"
    population: Count = 2000
    calibration_pairs: AtLeastTwo = 1000


@dataclass(frozen=True)
class ImpostorsParameters(Parameters):
    """Set the parameters of the impostors method.

    Attributes:
        n: characters of an n-gram.
        vocabulary: how many of the most frequent n-grams count.
        rounds: random parts of the n-grams tried for a pair, in each direction.
        share: of the n-grams in such a part.
        candidates: maximum number of texts of others most similar to a text.
        impostors: drawn from these in every round.
        population: maximum number of texts of the train pairs in which candidates are searched.
        calibration_pairs: maximum number of pairs on which thresholds are chosen.
    """

    n: Count = 4
    vocabulary: AtLeastTwo = 5000
    rounds: Count = 100
    share: Annotated[float, Keywords(exclusiveMinimum=0, maximum=1)] = 0.5
    candidates: Count = 250
    impostors: Count = 25
    population: Count = 1000
    calibration_pairs: AtLeastTwo = 1000


@dataclass(frozen=True)
class EncoderParameters(Parameters):
    """Name a model of the registry, or the path of an entry, used unchanged or tuned on the train pairs first."""

    model: Text
    fine_tune: bool = False
    epochs: Count = 1
    batch: AtLeastTwo = 32
    learning_rate: Annotated[float, Keywords(exclusiveMinimum=0)] = 2e-5


@dataclass(frozen=True)
class ExternalParameters(Parameters):
    """Give a command, which may name {train}, {calibration}, {test} and {out}.

    Attributes:
        time_limit: seconds after which a run and all its child processes are ended.
    """

    command: Text
    time_limit: Annotated[float, Keywords(exclusiveMinimum=0, maximum=31_536_000)] = 14_400


@dataclass(frozen=True)
class EnsembleParameters(Parameters):
    members: Annotated[tuple[Text, ...], Keywords(minItems=2, uniqueItems=True)]


@dataclass(frozen=True)
class PluginParameters(Parameters):
    """Name the verifier of an installed package; the package and the digest of its code are added."""

    plugin: PlugInName
    package: str | None = field(default=None, metadata=COMPUTED)
    code_sha256: str | None = field(default=None, metadata=COMPUTED)


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
    "plugin": PluginParameters,
}


def parameters_of(kind: str, plain: Mapping[str, object]) -> Parameters:
    """Return the parameters of a kind from plain values that fit the schema."""
    return from_plain(KINDS[kind], plain)
