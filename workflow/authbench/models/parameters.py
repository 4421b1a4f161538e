"""Parameters of models, a dataclass for each kind. Defaults stand in schemas/model.schema.yaml."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeAlias

from authbench.registry.plain import from_plain

CANDIDATES = "candidates"  # `fit_on`: counts are learnt from the candidates themselves
NOT_USED = ""  # `tagger`: no part counts parts of speech


@dataclass(frozen=True)
class _Parameters:
    """What all kinds have in common.

    Attributes:
        cached: whether vectors depend on single texts, so that they can be cached before a pool is known.
        late: whether tokens are compared, and a text has no vector.
        trainable: whether contrastive training can tune the model.
        reads_metadata: whether vectors depend on the language, source or genre of a text.
        embeds: whether any text gets a vector; a list of scores gives none.
        reads_file: whether what a model gave elsewhere is read from `file`.
    """

    cached: ClassVar[bool] = False
    late: ClassVar[bool] = False
    trainable: ClassVar[bool] = False
    reads_metadata: ClassVar[bool] = False
    embeds: ClassVar[bool] = True
    reads_file: ClassVar[bool] = False

    def as_dict(self) -> dict[str, Any]:
        """Return the parameters as plain values, from which `parameters_of` makes them again."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True)
class RandomParameters(_Parameters):
    dimensions: int
    seed: int


@dataclass(frozen=True)
class MetadataParameters(_Parameters):
    reads_metadata: ClassVar[bool] = True

    fields: tuple[str, ...]
    length: bool

    def as_dict(self) -> dict[str, Any]:
        return {"fields": list(self.fields), "length": self.length}


@dataclass(frozen=True)
class IdsParameters(_Parameters):
    pass


@dataclass(frozen=True)
class FormatParameters(_Parameters):
    pass


@dataclass(frozen=True)
class EdgesParameters(_Parameters):
    """How many characters of either end are seen, and the shortest and the longest n-gram of them."""

    characters: int
    n: tuple[int, int]

    def as_dict(self) -> dict[str, Any]:
        return {"characters": self.characters, "n": list(self.n)}


@dataclass(frozen=True)
class ContentWordsParameters(_Parameters):
    pass


@dataclass(frozen=True)
class PunctuationParameters(_Parameters):
    pass


@dataclass(frozen=True)
class _NgramPart:
    """N-grams of one analyzer (char, char_wb, word, pos), with the shortest and the longest `n`."""

    analyzer: str
    n: tuple[int, int]


@dataclass(frozen=True)
class NgramsParameters(_Parameters):
    """Parameters of TF-IDF vectors.

    Attributes:
        fit_on: CANDIDATES, or the path of JSON lines with `content`.
        corpus_sha256: digest of that file, None for CANDIDATES.
        kept_words: how many of the most frequent words of a language are not masked; None: no text is masked.
        tagger: what tags parts of speech, None where its parts are left out for lack of one, else NOT_USED.
    """

    parts: tuple[_NgramPart, ...]
    lower_case: bool
    sublinear: bool
    fit_on: str
    kept_words: int | None = None
    corpus_sha256: str | None = None
    tagger: str | None = NOT_USED

    def as_dict(self) -> dict[str, Any]:
        plain = super().as_dict() | {"parts": [{"analyzer": part.analyzer, "n": list(part.n)} for part in self.parts]}
        unset = {"kept_words": None, "corpus_sha256": None, "tagger": NOT_USED}
        return {name: value for name, value in plain.items() if name not in unset or value != unset[name]}


@dataclass(frozen=True)
class FunctionWordsParameters(_Parameters):
    reads_metadata: ClassVar[bool] = True


@dataclass(frozen=True)
class StylometricParameters(_Parameters):
    pass


@dataclass(frozen=True)
class _CalibratedParameters(_Parameters):
    """Pairs that are calibrated on, at most, and the seed that draws them."""

    embeds: ClassVar[bool] = False

    pairs: int
    seed: int


@dataclass(frozen=True)
class CalibratedNgramsParameters(_CalibratedParameters):
    pass


@dataclass(frozen=True)
class CrossEntropyParameters(_CalibratedParameters):
    pass


ONE_FOR_ALL = ("labels", "episode")  # poolings that give nothing for a token, and that cannot be tuned
OWN_LENGTH = 0  # as max_tokens: what the checkpoint itself states


@dataclass(frozen=True)
class TransformerParameters(_Parameters):
    """Parameters of a transformer; each is explained in the schema."""

    checkpoint: str
    revision: str | None
    pooling: str
    max_tokens: int
    long_texts: str
    query_prompt: str
    document_prompt: str
    interaction: str
    dtype: str
    remote_code: bool

    @property
    def late(self) -> bool:  # type: ignore[override]
        return self.interaction == "late"

    @property
    def cached(self) -> bool:  # type: ignore[override]
        return not self.late

    @property
    def trainable(self) -> bool:  # type: ignore[override]
        return self.pooling not in ONE_FOR_ALL


@dataclass(frozen=True)
class FunctionParameters(_Parameters):
    """A function `module:name` of the user's, and the digest of its code (`function.digest_of_code`)."""

    function: str
    code_sha256: str | None = None


@dataclass(frozen=True)
class _FileParameters(_Parameters):
    """A file with what a model gave elsewhere; its digest once it has been read."""

    reads_file: ClassVar[bool] = True

    file: str
    file_sha256: str | None = None

    def as_dict(self) -> dict[str, Any]:
        return {name: value for name, value in super().as_dict().items() if value is not None}


@dataclass(frozen=True)
class VectorsParameters(_FileParameters):
    """Vectors by id: npz, Parquet, npy or safetensors."""


@dataclass(frozen=True)
class RunParameters(_FileParameters):
    """Ranked candidates of each query, as TREC has them."""

    embeds: ClassVar[bool] = False


@dataclass(frozen=True)
class PairsParameters(_FileParameters):
    """Scores of the pairs that a release states."""

    embeds: ClassVar[bool] = False


FileParameters: TypeAlias = VectorsParameters | RunParameters | PairsParameters
Parameters: TypeAlias = (
    RandomParameters
    | MetadataParameters
    | IdsParameters
    | FormatParameters
    | EdgesParameters
    | ContentWordsParameters
    | PunctuationParameters
    | NgramsParameters
    | FunctionWordsParameters
    | StylometricParameters
    | _CalibratedParameters
    | TransformerParameters
    | FunctionParameters
    | _FileParameters
)
KINDS: Mapping[str, type[Parameters]] = {
    "random": RandomParameters,
    "metadata": MetadataParameters,
    "ids": IdsParameters,
    "format": FormatParameters,
    "edges": EdgesParameters,
    "content_words": ContentWordsParameters,
    "punctuation": PunctuationParameters,
    "ngrams": NgramsParameters,
    "function_words": FunctionWordsParameters,
    "stylometric": StylometricParameters,
    "calibrated_ngrams": CalibratedNgramsParameters,
    "cross_entropy": CrossEntropyParameters,
    "transformer": TransformerParameters,
    "function": FunctionParameters,
    "vectors": VectorsParameters,
    "run": RunParameters,
    "pairs": PairsParameters,
}


def parameters_of(kind: str, plain: Mapping[str, object]) -> Parameters:
    """Return the parameters of a kind from plain values that fit the schema and are complete."""
    return from_plain(KINDS[kind], plain)
