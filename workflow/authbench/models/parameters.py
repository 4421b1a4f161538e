"""Parameters of models: a dataclass for each kind, from which the schema of entries follows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal, TypeAlias

from authbench.config.registry.typed_schema import COMPUTED, from_plain, to_plain
from authbench.config.settings.values import Count, Keywords, Text
from authbench.core.json_values import JsonObject

CANDIDATES = "candidates"  # `fit_on`: counts are fitted on the candidates themselves
NOT_USED = ""  # `tagger`: no part counts parts of speech
ENDPOINT = r"^(https://[^/?#@\s]+|http://(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?)(/[^?#\s]*)?$"

Group = Literal["sanity", "lexical", "embedding", "embedding-instruct", "style", "masked", "base", "instruct", "other"]
LongTexts = Literal["truncate", "chunk_and_pool"]
Range = tuple[Count, Count]  # the shortest and the longest n-gram
AtLeastTwo = Annotated[int, Keywords(minimum=2)]


@dataclass(frozen=True)
class Parameters:
    """The attributes of all kinds.

    Attributes:
        cached: whether vectors depend on single texts, and can be cached before a pool is known.
        late: whether tokens are compared, without a vector per text.
        trainable: whether contrastive training can tune the model.
        reads_metadata: whether vectors depend on the language, source or genre of a text.
        embeds: whether any text gets a vector; a list of scores gives none.
        reads_file: whether results from elsewhere are read from `file`.
    """

    cached: ClassVar[bool] = False
    late: ClassVar[bool] = False
    trainable: ClassVar[bool] = False
    reads_metadata: ClassVar[bool] = False
    embeds: ClassVar[bool] = True
    reads_file: ClassVar[bool] = False

    def as_dict(self) -> JsonObject:
        """Return the parameters as plain values, from which `parameters_of` restores them."""
        plain: JsonObject = to_plain(self)
        return plain


@dataclass(frozen=True)
class RandomParameters(Parameters):
    dimensions: Count
    seed: int


@dataclass(frozen=True)
class MetadataParameters(Parameters):
    reads_metadata: ClassVar[bool] = True

    fields: Annotated[tuple[Literal["lang", "source", "genre", "primary_genre"], ...], Keywords(minItems=1)]
    length: bool


@dataclass(frozen=True)
class NoParameters(Parameters):
    pass


@dataclass(frozen=True)
class DateParameters(Parameters):
    embeds: ClassVar[bool] = False


@dataclass(frozen=True)
class EdgesParameters(Parameters):
    """The number of characters read at each end, and their n-grams."""

    characters: Count
    n: Range


@dataclass(frozen=True)
class TopicsParameters(Parameters):
    """The most topics of a language, and the seed that draws the texts they are learnt from."""

    topics: Count
    seed: int


@dataclass(frozen=True)
class ContentCharactersParameters(Parameters):
    """Lengths of the n-grams within content words."""

    n: Range


@dataclass(frozen=True)
class _NgramPart:
    """N-grams of an analyzer, and their weight among several parts."""

    analyzer: Literal["char", "char_wb", "word", "pos", "shape"]
    n: Range
    weight: Annotated[float, Keywords(exclusiveMinimum=0)] = 1.0


@dataclass(frozen=True)
class NgramsParameters(Parameters):
    """Parameters of TF-IDF vectors.

    Attributes:
        sublinear: 1 + log(count) instead of the count.
        fit_on: CANDIDATES, or the path of JSON lines with `content`, such as another release's candidates.jsonl.
        kept_words: how many of the most frequent words of a language are kept, while each letter of the others becomes
            an asterisk (Stamatatos 2017, DV-MA); None: no text is masked.
        corpus_sha256: digest of the file that `fit_on` names, None for CANDIDATES.
        tagger: the tagger of parts of speech, None if its parts are left out for lack of one, else NOT_USED.
    """

    parts: Annotated[tuple[_NgramPart, ...], Keywords(minItems=1)]
    lower_case: bool
    sublinear: bool
    fit_on: Text = CANDIDATES
    kept_words: Annotated[int, Keywords(minimum=0)] | None = None
    corpus_sha256: str | None = field(default=None, metadata=COMPUTED)
    tagger: str | None = field(default=NOT_USED, metadata=COMPUTED)

    def as_dict(self) -> JsonObject:
        unset = {"kept_words": None, "corpus_sha256": None, "tagger": NOT_USED}
        plain = {name: value for name, value in super().as_dict().items() if (name, value) not in unset.items()}
        for part in plain["parts"]:
            if part["weight"] == 1:
                del part["weight"]
        return plain


@dataclass(frozen=True)
class CentredNgramsParameters(NgramsParameters):
    """Parameters of TF-IDF vectors that are compared less the mean of their language."""

    embeds: ClassVar[bool] = False
    reads_metadata: ClassVar[bool] = True


@dataclass(frozen=True)
class FunctionWordsParameters(Parameters):
    reads_metadata: ClassVar[bool] = True


@dataclass(frozen=True)
class _CalibratedParameters(Parameters):
    """The most pairs of the split train for calibration, and the seed of the hash that draws them."""

    embeds: ClassVar[bool] = False

    pairs: AtLeastTwo = 120_000
    seed: int = 13


@dataclass(frozen=True)
class CalibratedNgramsParameters(_CalibratedParameters):
    pass


@dataclass(frozen=True)
class CrossEntropyParameters(_CalibratedParameters):
    pairs: AtLeastTwo = 80_000


ONE_FOR_ALL = ("labels", "episode")  # poolings without a vector per token, which cannot be tuned
OWN_LENGTH = 0  # as max_tokens: the length that the checkpoint states


@dataclass(frozen=True)
class TransformerParameters(Parameters):
    """Parameters of a transformer.

    Attributes:
        checkpoint: a name on Hugging Face, a folder, or package:<module>/<folder> of a Python package.
        revision: commit or tag of a checkpoint on Hugging Face.
        pooling: own: as the checkpoint states, in the files of sentence-transformers; labels: the probabilities of a
            classifier's labels; episode: the checkpoint's code joins the parts of a text (LUAR).
        max_tokens: tokens of a text that are read; OWN_LENGTH: as many as the checkpoint's tokenizer and config allow.
        interaction: vector compares a vector per text; late the mean over a query's tokens of the best match among a
            candidate's (ColBERT), for pools of at most a million tokens. Of an episode, the texts take tokens' place.
        remote_code: whether code of the checkpoint runs.
    """

    checkpoint: Text
    revision: str | None = None
    pooling: Literal["own", "mean", "cls", "last", "labels", "episode"] = "own"
    max_tokens: Annotated[int, Keywords(anyOf=[{"minimum": 8}, {"const": OWN_LENGTH}])] = 512
    long_texts: LongTexts = "truncate"
    query_prompt: str = ""
    document_prompt: str = ""
    interaction: Literal["vector", "late"] = "vector"
    dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    remote_code: bool = False

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
class FunctionParameters(Parameters):
    """A user's function that takes a list of texts and returns a row for each, and the digest of its code.

    Attributes:
        function: `module:name`, from the working directory or PYTHONPATH.
        package: name and version of the package, if it is a plug-in.
    """

    function: Annotated[str, Keywords(pattern=r"^[^\W\d]\w*(\.\w+)*:[^\W\d]\w*(\.\w+)*$", expected="module:function")]
    code_sha256: str | None = field(default=None, metadata=COMPUTED)
    package: str | None = field(default=None, metadata=COMPUTED)

    def as_dict(self) -> JsonObject:
        return {name: value for name, value in super().as_dict().items() if value is not None}


@dataclass(frozen=True)
class _FileParameters(Parameters):
    """A file with results from elsewhere, by its path from the working directory or the entry's folder.

    Its digest is known after it has been read.
    """

    reads_file: ClassVar[bool] = True

    file: Text
    file_sha256: str | None = field(default=None, metadata=COMPUTED)

    def as_dict(self) -> JsonObject:
        return {name: value for name, value in super().as_dict().items() if value is not None}


@dataclass(frozen=True)
class VectorsParameters(_FileParameters):
    """Vectors by id: npz, Parquet, npy or safetensors."""


@dataclass(frozen=True)
class RunParameters(_FileParameters):
    """Ranked candidates of each query, in TREC's format."""

    embeds: ClassVar[bool] = False


@dataclass(frozen=True)
class PairsParameters(_FileParameters):
    """Scores of the pairs that a release states."""

    embeds: ClassVar[bool] = False


@dataclass(frozen=True)
class PromptParameters(Parameters):
    """Parameters of a language model that is asked about pairs or lists of texts.

    Attributes:
        endpoint: address of an API like OpenAI's, without /chat/completions.
        model: its name there.
        prompt: a name in resources/text/prompts, or a file, with {query} and either {candidate} or {candidates}.
        max_requests: requests that a run may send, tried again or not: the limit of its cost.
        key: environment variable with the key of the endpoint.
        max_tokens: of an answer.
        max_characters: of each text that are sent.
        prompt_sha256: digest of the prompt's file.
        answered: questions, answers that could not be read, and tokens, if the host states them.
    """

    embeds: ClassVar[bool] = False

    endpoint: Annotated[str, Keywords(pattern=ENDPOINT, expected="https://HOST/PATH, or http:// on this machine")]
    model: Text
    prompt: Text
    max_requests: Count
    key: Annotated[str, Keywords(pattern="^[A-Z][A-Z0-9_]*$", expected="an environment variable")] | None = None
    max_tokens: Count = 1_024
    max_characters: Count = 10_000
    prompt_sha256: str | None = field(default=None, metadata=COMPUTED)
    answered: Mapping[str, int | None] | None = field(default=None, metadata=COMPUTED)


FileParameters: TypeAlias = VectorsParameters | RunParameters | PairsParameters
KINDS: Mapping[str, type[Parameters]] = {
    "random": RandomParameters,
    "metadata": MetadataParameters,
    "ids": NoParameters,
    "date": DateParameters,
    "format": NoParameters,
    "edges": EdgesParameters,
    "content_words": NoParameters,
    "topic_model": TopicsParameters,
    "content_characters": ContentCharactersParameters,
    "punctuation": NoParameters,
    "ngrams": NgramsParameters,
    "centred_ngrams": CentredNgramsParameters,
    "function_words": FunctionWordsParameters,
    "stylometric": NoParameters,
    "calibrated_ngrams": CalibratedNgramsParameters,
    "cross_entropy": CrossEntropyParameters,
    "transformer": TransformerParameters,
    "function": FunctionParameters,
    "vectors": VectorsParameters,
    "run": RunParameters,
    "pairs": PairsParameters,
    "prompt": PromptParameters,
}

TOPIC_KINDS = ("content_words", "topic_model", "content_characters")  # each by another definition of topic


def parameters_of(kind: str, plain: Mapping[str, object]) -> Parameters:
    """Return the parameters of a kind from plain values that fit the schema."""
    return from_plain(KINDS[kind], plain)
