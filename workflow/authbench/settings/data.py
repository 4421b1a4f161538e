"""The settings that affect the data, which a release states in its manifest."""

from typing import TypedDict

from authbench.settings.chunk import Chunk
from authbench.settings.dedup import Dedup
from authbench.settings.filter import Filter
from authbench.settings.ingest import Authors, Ingest
from authbench.settings.normalize import NormalizeTexts
from authbench.settings.release import Release
from authbench.settings.safety import Safety
from authbench.settings.sample import Sample
from authbench.settings.split import Split


class DataConfig(TypedDict):
    """Each stage's section; a release states neither `filter.exclude`, `chunk.retag` nor `release.labels` if unused."""

    name: str
    seed: int
    sources: list[str]
    ingest: Ingest
    authors: Authors
    normalize: NormalizeTexts
    chunk: Chunk
    filter: Filter
    dedup: Dedup
    safety: Safety
    sample: Sample
    split: Split
    release: Release
