"""The types of manifest.json. The manifest of a release from elsewhere may lack any key."""

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from authbench.config.settings.data import DataConfig
from authbench.config.settings.sample import Shares
from authbench.core.storage.raw_paths import RawFiles


class RawLock(TypedDict):
    """The lock's statements about the raw files of each source, and its digest."""

    sha256: str | None
    sources: Mapping[str, str]


class Scorer(TypedDict):
    """A toxicity scorer, with a digest of its word list or weights, and its languages."""

    identity: str
    languages: Sequence[str]


class Licence(TypedDict):
    """The terms of a source's texts; texts of tier A may be released."""

    name: str
    tier: str


class StatedSource(TypedDict):
    """A release's statements about a source."""

    title: str
    citation: str
    legal_basis: str


class _Documents(TypedDict):
    documents: int
    queries: int
    authors: int


class Counts(_Documents):
    """The counts of a split, in total and by language, genre and bucket of lengths."""

    languages: Mapping[str, int]
    genres: Mapping[str, int]
    lengths: Mapping[str, int]


class Totals(_Documents):
    """The counts of all splits together."""

    languages: int


class MergedTargets(TypedDict):
    """The targets of a merged release: the targets of its section `sample`."""

    documents: int | None
    languages: Shares | None
    lengths: Shares | None
    genres: Mapping[str, Shares] | None


class MergedPart(TypedDict):
    """A release that was merged into this release, and the number of its documents removed for each reason.

    `unverified` says why the release was not verified.
    """

    name: str | None
    unverified: NotRequired[str]
    sha256: str | None
    versions: Mapping[str, str]
    scorers: Sequence[Scorer]
    config: DataConfig
    sample: MergedTargets
    documents: int
    kept: int
    removed: Mapping[str, int]
    renumbered: int


class Withheld(_Documents):
    """The documents that a public bundle lacks, and their number for each reason."""

    reasons: Mapping[str, int]


class Numbers(TypedDict):
    """The numbers of a manifest."""

    totals: Totals
    counts: Mapping[str, Counts]


class Verification(TypedDict):
    """Whether results are of a verified release, and the reason if they are not."""

    verified: bool
    reason: NotRequired[str]


class Stated(TypedDict, total=False):
    """What findings and manifest have in common; `config` is without the settings that do not affect data."""

    splits: Sequence[str]
    config: DataConfig
    versions: Mapping[str, str]
    filters: Mapping[str, Mapping[str, str]]
    inputs: Mapping[str, RawFiles]
    raw_lock: RawLock
    scorers: Sequence[Scorer]
    skipped_sources: Sequence[str]
    takedown: Mapping[str, int]
    warnings: Sequence[str]
    withheld: Withheld


class Manifest(Stated, total=False):
    """What a release is and what made it."""

    name: str | None
    authbench: str
    licences: Mapping[str, Licence]
    sources: Mapping[str, StatedSource]
    fame: Mapping[str, str]
    totals: Totals
    counts: Mapping[str, Counts]
    merged: Sequence[MergedPart]
