"""The sections `evaluate`, `pan`, `train`, `style` and `raven`."""

from collections.abc import Sequence
from typing import Literal, TypedDict


class Evaluate(TypedDict):
    """Which models are scored, on which split; thresholds come from the split `dev`."""

    split: str
    dev: str | None
    models: Sequence[str]
    half: bool


class Pan(TypedDict):
    """How pairs of a PAN data set are drawn; `test`, `same` and `small` are shares."""

    topics: Literal["topic", "genre", "source"]
    setting: Literal["open", "closed", "matched", "topic_matched", "topic_adversarial"]
    test: float
    same: float
    small: float
    train: Literal["large", "small"]
    verifiers: Sequence[str]
    topic_model: int


class Train(TypedDict):
    """Which models are trained, and how."""

    models: Sequence[str]
    seeds: int
    epochs: int
    batch: int
    learning_rate: float
    evaluations: int
    negatives: Literal["matched", "batch"]
    precision: Literal["entry", "float32", "bfloat16", "float16"]
    max_tokens: int | None
    in_leaderboard: bool


class Style(TypedDict):
    """Which data sets of style models are scored on, and how."""

    data: str
    datasets: Sequence[str]
    protocols: Sequence[Literal["strict", "steb"]]
    missing: Literal["skip", "error"]
    release: bool
    models: Sequence[str]
    long_texts: Sequence[Literal["chunk_and_pool", "truncate"]]
    clusters: str | None


class Raven(TypedDict):
    """How pairs of heterogeneous topics are drawn, and which verifiers judge them."""

    documents: str
    encoders: Sequence[str]
    topics: int
    folds: int
    seeds: int
    sizes: Sequence[int]
    group: bool
    match: bool
    verifiers: Sequence[str]
    min_documents: int
    documents_per_topic: int | None
    folds_per_job: int
    subsets_per_job: int
