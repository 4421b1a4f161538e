"""Read the settings that a release is checked against."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any

from authbench.checking.settings import defaults, merged
from authbench.errors import InputError
from authbench.format.files import CHECKED_SECTIONS
from authbench.format.manifest import Manifest
from authbench.letters import Least
from authbench.settings.split import Containment

# The processing plan's rules for queries, for a release that does not state its settings.
_OF_THE_PLAN: Mapping[str, object] = {"queries_per_author": "all", "min_letters_for_query": 1}


@dataclass(frozen=True)
class Rules:
    """The settings that the claims depend on; `None`: not limited; `queries_in_candidates` None: either form.

    An author gives at most `queries_per_author` queries, and at least `fewest_queries` if enough texts can be queries.
    `taken_down` documents may be missing, of the authors in `losing` (None: of any author); so may the documents of the
    authors `withheld_of` that a public bundle withholds. `settings` are all sections that claims depend on.
    """

    queries_in_candidates: bool | None
    other_work: bool
    queries_per_author: int | None
    fewest_queries: int | None
    min_documents_for_query: int
    min_letters_for_query: Least
    min_documents: int
    usual_documents: int
    max_documents: int
    genres: Mapping[str, Mapping[str, float]]
    fixed_buckets: bool
    unit: str
    near: float
    leak: float
    shingle_chars: int
    containment: Containment
    taken_down: int
    masked: frozenset[str]  # kinds of personal data
    settings: Mapping[str, Any]
    losing: Set[str] | None = None
    withheld_of: Set[str] = frozenset()

    def may_have_lost(self, author: str) -> bool:
        """Return whether documents of an author may have been taken down, or are withheld."""
        taken = bool(self.taken_down) and (self.losing is None or author in self.losing)
        return taken or author in self.withheld_of


def make_rules(manifest: Manifest, expected: Mapping[str, Any] | None = None) -> Rules:
    """Return the rules from `expected`, else the manifest's resolved config, else the defaults of config.yaml.

    Without a manifest, either form of queries is accepted, and the plan's numbers apply. Raises InputError for an
    unknown section or key.
    """
    expected = expected or {}
    settings = dict(defaults())
    for origin, given in (("manifest.json", manifest.get("config") or {}), ("expected settings", expected)):
        for section in CHECKED_SECTIONS:
            more = given.get(section) or {}
            if not isinstance(more, Mapping) or (origin != "manifest.json" and more.keys() - settings[section].keys()):
                raise InputError(
                    f"{origin}: {section} is {more!r:.80}. Expected a mapping with keys of config.yaml: "
                    + ", ".join(settings[section])
                )
            settings[section] = merged(settings[section], more)
    sample, split, release, dedup = (settings[name] for name in ("sample", "split", "release", "dedup"))
    if "release" not in (manifest.get("config") or {}):
        release = {**release, **_OF_THE_PLAN, **(expected.get("release") or {})}
    known = "release" in (manifest.get("config") or {}) or "queries_in_candidates" in (expected.get("release") or {})
    usual, fallback = sample["min_documents_per_author"], sample["fallback_documents_per_author"]
    try:
        return Rules(
            queries_in_candidates=bool(release["queries_in_candidates"]) if known else None,
            other_work=release["positives"] != "any",
            queries_per_author=_most_queries(release["queries_per_author"]),
            fewest_queries=_most_queries(release["queries_per_author"]) if known else 1,
            min_documents_for_query=int(release["min_documents_for_query"]),
            min_letters_for_query=_letters(release["min_letters_for_query"]),
            min_documents=int(usual if fallback is None else min(usual, fallback)),
            usual_documents=int(usual),
            max_documents=int(sample["max_documents_per_author"]),
            genres=sample["genres"] or {},
            fixed_buckets=sample["length_bins"] == "fixed",
            unit=split["unit"],
            near=float(dedup["threshold"]),
            leak=float(split["leak_threshold"]),
            shingle_chars=int(dedup["shingle_chars"]),
            containment=split["containment"],
            taken_down=taken_down(manifest),
            masked=frozenset(settings["normalize"]["mask"] if "normalize" in manifest.get("config", {}) else ()),
            settings=settings,
        )
    except (TypeError, ValueError, KeyError) as problem:
        raise InputError(f"The settings to check against cannot be used: {problem}. See config.yaml.") from None


def _most_queries(value: Any) -> int | None:
    """Return the most queries an author gives in a split; None: `all`."""
    if value == "all":
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"release.queries_per_author is {value!r}, expected a number from 1 on, or `all`")
    return value


def _letters(value: Any) -> Least:
    """Return the least letters of a query, by language where the value is a table."""
    if not isinstance(value, Mapping):
        return int(value)
    return {**{str(lang): int(least) for lang, least in value.items()}, "default": int(value["default"])}


def continues_a_lock(manifest: Manifest) -> bool:
    """Return whether the release kept the ids of an earlier one."""
    config = manifest.get("config")
    split = config.get("split") if config else None
    return bool(split and split.get("lock"))


def taken_down(manifest: Manifest) -> int:
    """Return how many documents the manifest reports as taken down.

    Raises:
        InputError: the manifest does not state a whole number from 0 on.
    """
    taken = (manifest.get("takedown") or {}).get("documents", 0)
    if isinstance(taken, bool) or not isinstance(taken, int) or taken < 0:
        raise InputError(f"manifest.json: takedown.documents is {taken!r:.40}. Expected a number from 0 on.")
    return taken
