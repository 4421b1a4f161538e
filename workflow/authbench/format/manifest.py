"""The types of manifest.json. That of a release that somebody else wrote may lack any key."""

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from authbench.settings.data import DataConfig
from authbench.settings.sample import Shares
from authbench.storage.raw_listing import RawFiles


class RawLock(TypedDict):
    """What the lock of raw files says of those of each source, and its own digest."""

    sha256: str | None
    sources: Mapping[str, str]


class Scorer(TypedDict):
    """A toxicity scorer, with a digest of its word list or weights, and its languages."""

    identity: str
    languages: Sequence[str]


class Licence(TypedDict):
    """The terms of a source's texts; those of tier A may be released."""

    name: str
    tier: str


class StatedSource(TypedDict):
    """What a release says of a source."""

    title: str
    citation: str
    legal_basis: str


class Counts(TypedDict):
    """What a split holds, in all and by language, genre and bucket of lengths."""

    documents: int
    authors: int
    queries: int
    languages: Mapping[str, int]
    genres: Mapping[str, int]
    lengths: Mapping[str, int]


class Totals(TypedDict):
    """What all splits hold together."""

    documents: int
    authors: int
    languages: int
    queries: int


class MergedTargets(TypedDict):
    """What a release that was merged was asked for: the targets of its section `sample`."""

    documents: int | None
    languages: Shares | None
    lengths: Shares | None
    genres: Mapping[str, Shares] | None


class MergedPart(TypedDict):
    """A release that was merged into this one, and how many of its documents were removed for which reason.

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


class Withheld(TypedDict):
    """What a public bundle lacks of its release, and how many documents for which reason."""

    documents: int
    queries: int
    authors: int
    reasons: Mapping[str, int]


class Numbers(TypedDict):
    """The numbers of a manifest."""

    totals: Totals
    counts: Mapping[str, Counts]


class Verification(TypedDict):
    """Whether results are of a release that checked out, and the reason where they are not."""

    verified: bool
    reason: NotRequired[str]


class Manifest(TypedDict, total=False):
    """What a release is and what made it; `config` is without the settings that do not affect data."""

    name: str | None
    authbench: str
    splits: Sequence[str]
    config: DataConfig
    versions: Mapping[str, str]
    inputs: Mapping[str, RawFiles]
    raw_lock: RawLock
    scorers: Sequence[Scorer]
    skipped_sources: Sequence[str]
    licences: Mapping[str, Licence]
    sources: Mapping[str, StatedSource]
    fame: Mapping[str, str]
    takedown: Mapping[str, int]
    warnings: Sequence[str]
    totals: Totals
    counts: Mapping[str, Counts]
    merged: Sequence[MergedPart]
    withheld: Withheld
