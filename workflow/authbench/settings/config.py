"""Type the whole configuration."""

from typing import Annotated, Literal

from authbench.settings.acquire import Acquire
from authbench.settings.data import DataConfig
from authbench.settings.evaluate import Evaluate, Pan, Raven, Style, Train
from authbench.settings.people import People, Review
from authbench.settings.publish import Publish
from authbench.settings.values import Keywords, Path


class Config(DataConfig):
    """Hold all settings of a run, complete and checked."""

    raw_dir: Path
    missing_sources: Literal["error", "skip"]
    shards: Annotated[
        Literal["auto"] | Annotated[int, Keywords(minimum=1, maximum=10000)],
        Keywords(expected="auto, or a whole number from 1 to 10000"),
    ]
    acquire: Acquire
    review: Review
    people: People
    evaluate: Evaluate
    pan: Pan
    train: Train
    publish: Publish
    style: Style
    raven: Raven
