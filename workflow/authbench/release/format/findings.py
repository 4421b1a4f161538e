"""The types of the stages' and the release's findings: the base of manifest, statistics and report."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

from authbench.core.funnel import FunnelRow
from authbench.core.json_values import JsonMapping
from authbench.core.storage.raw_paths import RawFiles
from authbench.release.format.deviation import Deviation
from authbench.release.format.manifest import Stated


class LabelRow(TypedDict):
    """The measurements of a source's labels with the same decision (`columns.STATISTICS`)."""

    source: str
    labels: int
    texts: int
    estimator: str | None
    impurity: float | None
    low: float | None
    high: float | None
    decision: str | None


class PoolRow(TypedDict):
    """How many positives of a pool are scored, and how many are left out for lack of negatives."""

    pool: str
    lang: str
    source: str
    positives: int
    kept: int
    left_out: int


class SourceRow(TypedDict):
    """Whether the author labels of a source are noisy (statistics/sources.csv)."""

    source: str
    noisy: bool


class ToxicityRate(TypedDict):
    """How many texts of a language and genre were scored, and how many of them dropped."""

    lang: str
    genre: str
    scored: int
    dropped: int


class BucketRow(TypedDict):
    """The documents of a bucket in a split, their target, and the size of the largest unit that moves as a whole."""

    lang: str
    genre: str
    length_bucket: str
    split: str
    documents: int
    due: float
    largest_unit: int


class SourceFindings(TypedDict, total=False):
    """The counts of a source at ingestion; `noisy_authors` and `names_author` are shares of its documents.

    Other counts, such as of rows that a reader left out, are stored under further keys.
    """

    documents: int
    authors: int
    files: int
    bad_rows: int
    noisy_authors: float
    names_author: float
    masked: Mapping[str, int]
    over_chunk_cap: int
    lost: Mapping[str, Sequence[int]]  # fields with over half of their values lost: values read, and values lost


class Exclusions(TypedDict):
    """How many texts reviewers excluded, and the keys of those that no filter saw."""

    entries: int
    without_a_document: Sequence[str]


class Findings(Stated, total=False):
    """All findings, under the keys that exist at a stage; `ingest`, `split` and `dedup` count what these stages did."""

    read: Mapping[str, RawFiles]
    funnel: Sequence[FunnelRow]
    labels: Sequence[LabelRow]
    pools: Sequence[PoolRow]
    deviation: Deviation
    toxicity_rates: Sequence[ToxicityRate]
    documents_scored: int
    length_bounds: Mapping[str, object]
    ingest: Mapping[str, SourceFindings]
    dedup: Mapping[str, Mapping[str, int]]
    split: JsonMapping
    exclusions: Exclusions
