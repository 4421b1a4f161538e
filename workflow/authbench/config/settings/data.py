"""Type the settings that affect the data, which a release states in its manifest."""

from typing import Annotated, TypedDict

from authbench.config.settings.chunk import Chunk
from authbench.config.settings.dedup import Dedup
from authbench.config.settings.filter import Filter
from authbench.config.settings.ingest import Authors, Ingest
from authbench.config.settings.normalize import NormalizeTexts
from authbench.config.settings.release import Release
from authbench.config.settings.safety import Safety
from authbench.config.settings.sample import Sample
from authbench.config.settings.split import Split
from authbench.config.settings.values import Backend, Entries, Keywords

Name = Annotated[
    str,
    Keywords(
        {"not": {"const": "embeddings"}},
        pattern="^[A-Za-z0-9][A-Za-z0-9._-]*$(?!\\n)",
        maxLength=100,
        expected="a name of at most 100 letters (A-Z, a-z), digits, dots, hyphens and underscores that begins with a "
        "letter or digit (`embeddings` is taken, for the cache of vectors)",
    ),
]


class DataConfig(TypedDict):
    """Hold each stage's section.

    A release omits the settings in `release.statement.OMITTED` that have their default.
    """

    name: Name
    seed: Annotated[int, Keywords(minimum=-(2**63), maximum=2**63 - 1)]
    backend: Backend
    sources: Entries
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
