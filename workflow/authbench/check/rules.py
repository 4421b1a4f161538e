"""The settings that a release is checked against."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from authbench.dedup.containment import ContainmentSettings
from authbench.errors import InputError
from authbench.release.queries import queries_per_author
from authbench.shipped import shipped

DEFAULTS = shipped("config/config.yaml")
SECTIONS = ("dedup", "sample", "split", "release")


@dataclass(frozen=True)
class Rules:
    """The settings that the claims depend on; `None`: not limited, `queries_in_candidates` None: either form."""

    queries_in_candidates: bool | None
    other_origin: bool
    queries_per_author: int | None
    min_documents_for_query: int
    min_documents: int
    usual_documents: int
    max_documents: int
    genres: Mapping[str, Mapping[str, float]]
    fixed_buckets: bool
    unit: str
    near: float
    leak: float
    shingle_chars: int
    containment: ContainmentSettings
    taken_down: int


def make_rules(manifest: Mapping[str, Any], expected: Mapping[str, Any] | None = None) -> Rules:
    """Return the rules from `expected`, else the manifest's resolved config, else the defaults of config.yaml.

    Without a manifest either form of queries is taken, and the plan's numbers hold. Raises InputError for a section
    or key that does not exist.
    """
    expected = expected or {}
    settings = _defaults()
    for origin, given in (("manifest.json", manifest.get("config") or {}), ("expected settings", expected)):
        for section in SECTIONS:
            more = given.get(section) or {}
            if not isinstance(more, Mapping) or (origin != "manifest.json" and more.keys() - settings[section].keys()):
                raise InputError(
                    f"{origin}: {section} is {more!r:.80}. Expected a mapping with keys of config.yaml: "
                    + ", ".join(settings[section])
                )
            settings[section] |= more
    sample, split, release, dedup = (settings[name] for name in ("sample", "split", "release", "dedup"))
    known = "release" in (manifest.get("config") or {}) or "queries_in_candidates" in (expected.get("release") or {})
    usual, fallback = sample["min_documents_per_author"], sample["fallback_documents_per_author"]
    try:
        return Rules(
            queries_in_candidates=bool(release["queries_in_candidates"]) if known else None,
            other_origin=release["positives"] == "other_origin",
            queries_per_author=queries_per_author(release["queries_per_author"]),
            min_documents_for_query=int(release["min_documents_for_query"]),
            min_documents=int(usual if fallback is None else min(usual, fallback)),
            usual_documents=int(usual),
            max_documents=int(sample["max_documents_per_author"]),
            genres=sample["genres"],
            fixed_buckets=sample["length_bins"] == "fixed",
            unit=split["unit"],
            near=float(dedup["threshold"]),
            leak=float(split["leak_threshold"]),
            shingle_chars=int(dedup["shingle_chars"]),
            containment=ContainmentSettings(**split["containment"]),
            taken_down=int((manifest.get("takedown") or {}).get("documents", 0)),
        )
    except (TypeError, ValueError) as problem:
        raise InputError(f"The settings to check against cannot be used: {problem}. See config.yaml.") from None


def read_expected(path: str | Path) -> Mapping[str, Any]:
    """Read settings to check against: a YAML as config.yaml or a recipe; its other sections do not matter here."""
    try:
        value = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as problem:
        raise InputError(f"{path}: cannot be read as YAML: {problem}") from None
    if not isinstance(value, Mapping):
        raise InputError(f"{path}: expected settings as in config.yaml, found {value!r:.80}")
    return value


def _defaults() -> dict[str, dict[str, Any]]:
    settings = read_expected(DEFAULTS)
    return {section: dict(settings[section]) for section in SECTIONS}
