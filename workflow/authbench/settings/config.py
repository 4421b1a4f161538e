"""The whole configuration."""

from typing import Literal

from authbench.settings.acquire import Acquire
from authbench.settings.data import DataConfig
from authbench.settings.evaluate import Evaluate, Pan, Raven, Style, Train
from authbench.settings.people import People, Review
from authbench.settings.publish import Publish


class Config(DataConfig):
    """All settings of a run, complete and checked."""

    raw_dir: str
    missing_sources: Literal["error", "skip"]
    shards: Literal["auto"] | int
    acquire: Acquire
    review: Review
    people: People
    evaluate: Evaluate
    pan: Pan
    train: Train
    publish: Publish
    style: Style
    raven: Raven
