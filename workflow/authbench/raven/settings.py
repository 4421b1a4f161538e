"""Settings of a RAVEN run and their defaults."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from authbench.registry.plain import from_plain

PLANTED, RELEASE = "planted", "release"


@dataclass(frozen=True)
class TopicLimits:
    """Which documents take part.

    Args:
        min_documents: a topic with fewer is left out.
        documents_per_topic: of a larger topic so many are drawn; all if None.
    """

    min_documents: int = 5
    documents_per_topic: int | None = 1000


@dataclass(frozen=True)
class SubsetSettings:
    """Which subsets of the topics are compared.

    Args:
        encoders: models of the registry, `nmf` or `lda`; HITS goes by the first.
        topics: topics of a subset, m.
        folds: cross-validation folds, by topic.
        seeds: random subsets of as many topics.
        sizes: other numbers of topics that HITS is tried with.
        group: whether topics that are not taken are also joined to those that are.
        match: whether random topics have the languages, lengths and sizes of those that HITS takes, with texts cut or
            left out where that needs it; in the paper not.
    """

    encoders: tuple[str, ...] = ("tfidf", "nmf", "lda")
    topics: int = 70
    folds: int = 10
    seeds: int = 5
    sizes: tuple[int, ...] = (50, 60, 70, 80, 90, 100)
    group: bool = True
    match: bool = True


@dataclass(frozen=True)
class RavenSettings:
    """All settings, which a configuration has in its section `raven`, side by side.

    Args:
        documents: PLANTED, RELEASE, or a release's folder, PAN's files or a table.
        verifiers: names of config/verifiers, or paths of entries.
        folds_per_job: folds of a subset that one job trains and tests a verifier on.
        subsets_per_job: subsets that one job does so on.
    """

    documents: str = PLANTED
    subsets: SubsetSettings = field(default_factory=SubsetSettings)
    limits: TopicLimits = field(default_factory=TopicLimits)
    verifiers: tuple[str, ...] = (
        *("naive", "ppm", "topicfit", "stylometric"),
        *("random", "format", "edges", "content-words", "punctuation", "masked"),
    )
    folds_per_job: int = 10
    subsets_per_job: int = 7

    @classmethod
    def from_section(cls, section: Mapping[str, object]) -> "RavenSettings":
        """Return the settings of the section `raven` of a configuration, which is complete."""
        subsets, limits = from_plain(SubsetSettings, section), from_plain(TopicLimits, section)
        return replace(from_plain(cls, section), subsets=subsets, limits=limits)

    def as_section(self) -> dict[str, Any]:
        """Return the section `raven` of a configuration with these settings."""
        values = {"documents": self.documents, **asdict(self.subsets), "verifiers": self.verifiers}
        values |= asdict(self.limits)
        values |= {"folds_per_job": self.folds_per_job, "subsets_per_job": self.subsets_per_job}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    def fold_parts(self) -> dict[str, list[int]]:
        """Return the folds of each job by the name of its file."""
        starts = range(0, self.subsets.folds, self.folds_per_job)
        parts = [list(range(start, min(start + self.folds_per_job, self.subsets.folds))) for start in starts]
        return {f"folds-{part[0]}-{part[-1]}": part for part in parts}
