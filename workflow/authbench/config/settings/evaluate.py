"""Type the sections `evaluate`, `pan`, `train`, `style` and `raven`."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypedDict

from authbench.config.settings.values import Between, Count, Entries, Entry, Keywords, Path, PlugInName, SplitName

_Times = Annotated[int, Keywords(minimum=1, maximum=1000)]
_Topics = Annotated[int, Keywords(minimum=2, maximum=100000)]


class Evaluate(TypedDict):
    """Set which models are scored, on which split; thresholds come from the split `dev`."""

    split: SplitName
    dev: SplitName | None
    models: Annotated[Sequence[Entry], Keywords(uniqueItems=True)]
    metrics: Annotated[Sequence[PlugInName], Keywords(uniqueItems=True)]  # of plug-ins
    half: bool
    familiarity: Entry | None


class Pairs(TypedDict):
    """Set how pairs of a PAN data set are drawn; `test`, `same` and `small` are shares."""

    setting: Literal["open", "closed", "matched", "topic_matched", "topic_adversarial", "time_matched", "topic_time"]
    test: Between
    same: Between
    small: Between


class Pan(Pairs):
    """Set on which pairs verifiers are trained and tested, and which verifiers."""

    topics: Literal["topic", "genre", "source"]
    train: Literal["large", "small"]
    verifiers: Entries
    topic_model: Annotated[int, Keywords(minimum=1, maximum=10000)]


class Training(TypedDict):
    """Set how a model is trained, and which splits are scored meanwhile."""

    epochs: _Times
    batch: Annotated[int, Keywords(minimum=2, maximum=65536)]
    learning_rate: Annotated[float, Keywords(exclusiveMinimum=0, maximum=1)]
    evaluations: Count
    watch: Annotated[Sequence[SplitName], Keywords(minItems=1, uniqueItems=True)]
    negatives: Literal["matched", "batch"]
    precision: Literal["entry", "float32", "bfloat16", "float16"]
    max_tokens: Annotated[int, Keywords(minimum=8, maximum=1000000)] | None


class Train(Training):
    """Set which models are trained, how often and how."""

    models: Entries
    seeds: _Times
    in_leaderboard: bool


class Style(TypedDict):
    """Set on which style data sets models are scored, and how."""

    data: Path
    datasets: Entries
    protocols: Annotated[Sequence[Literal["strict", "steb"]], Keywords(minItems=1, uniqueItems=True)]
    missing: Literal["skip", "error"]
    release: bool
    models: Entries
    long_texts: Annotated[Sequence[Literal["chunk_and_pool", "truncate"]], Keywords(minItems=1, uniqueItems=True)]
    clusters: Path | None


class TopicLimits(TypedDict):
    """Set which topics are used, and how many documents of each."""

    min_documents: Count
    documents_per_topic: Count | None


class Subsets(TypedDict):
    """Set which subsets of the topics are compared; HITS uses the first encoder."""

    encoders: Entries
    topics: _Topics
    folds: Annotated[int, Keywords(minimum=2, maximum=1000)]
    seeds: _Times
    sizes: Annotated[Sequence[_Topics], Keywords(uniqueItems=True, maxItems=1000)]
    group: bool
    match: bool


class Raven(Subsets, TopicLimits):
    """Set how pairs of heterogeneous topics are drawn, and which verifiers judge them."""

    documents: Annotated[
        str, Keywords(minLength=1, format="path", expected="planted, release, or the path of documents")
    ]
    verifiers: Entries
    folds_per_job: Count
    subsets_per_job: Count
