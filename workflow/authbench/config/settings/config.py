"""Type the whole configuration."""

from typing import Annotated, Literal, TypedDict

from authbench.config.settings.data import DataConfig
from authbench.config.settings.evaluate import Evaluate, Pan, Raven, Style, Train
from authbench.config.settings.publish import Publish
from authbench.config.settings.values import Count, Files, Keywords, Path


class Review(TypedDict):
    """Set how many texts of a cell are drawn for readers, and the files of their verdicts."""

    texts_per_cell: Count
    verdicts: Files


class People(TypedDict):
    """Set how many pairs people judge, and the files of their verdicts."""

    pairs_per_language: Annotated[
        int, Keywords(minimum=2, maximum=10000, multipleOf=2, expected="an even number from 2 to 10000")
    ]
    verdicts: Files


class Acquire(TypedDict):
    """Set which raw files of each source are fetched, and what a build does with files that differ from their lock."""

    share: Annotated[float, Keywords(exclusiveMinimum=0, maximum=1)]
    bytes: Annotated[int, Keywords(minimum=1)] | None
    rows: Annotated[int, Keywords(minimum=1)] | None
    unverified: Literal["warn", "stop"]


class Config(DataConfig):
    """Hold all settings of a run, complete and checked; `fidelity` has chosen defaults (config/fidelity.yaml)."""

    fidelity: Literal["ours", "paper", "plan"]
    raw_dir: Path
    missing_sources: Literal["error", "skip"]
    shards: Annotated[
        Literal["auto"] | Annotated[int, Keywords(minimum=1, maximum=10000)],
        Keywords(expected="auto, or a whole number from 1 to 10000"),
    ]
    keep_tables: bool
    acquire: Acquire
    review: Review
    people: People
    evaluate: Evaluate
    pan: Pan
    train: Train
    publish: Publish
    style: Style
    raven: Raven
