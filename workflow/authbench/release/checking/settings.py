"""Read the settings that a release is checked against, and find settings that weaken its claims."""

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from authbench.config.filter_rules import BUILT_IN
from authbench.config.registry.entries import default_settings, fidelity_settings, read_yaml
from authbench.config.settings.split import Containment
from authbench.core.content_words import EARLIER, Topic
from authbench.core.errors import InputError
from authbench.core.json_values import JsonMapping, JsonObject
from authbench.core.letters import Least
from authbench.core.shipped import shipped
from authbench.core.storage.json_files import value_at
from authbench.release.checking.claims import Finding
from authbench.release.format.files import CHECKED_SECTIONS
from authbench.release.format.manifest import Manifest

Settings = JsonMapping
_RECIPES = "config/recipes"
_OF_DATA = frozenset({"languages", "lengths", "genres", "plugins", "prefer_sources", "splits"})


@cache
def defaults() -> JsonObject:
    """Return the sections of config.yaml that claims depend on."""
    settings = cast(Settings, default_settings())
    return {section: dict(settings[section]) for section in CHECKED_SECTIONS}


def read_settings(path: str | Path) -> Settings:
    """Read settings to check against from a YAML like config.yaml or a recipe, over those that its `fidelity` chooses.

    Raises:
        InputError: the file cannot be read, or is not a mapping.
    """
    settings = read_yaml(Path(path))
    return merged(fidelity_settings(str(settings.get("fidelity"))), settings)


def merged(settings: Settings, more: Settings) -> JsonObject:
    """Merge settings into others, mapping by mapping; mappings whose keys are data are replaced."""
    result = dict(settings)
    for key, value in more.items():
        before = result.get(key)
        if isinstance(before, Mapping) and isinstance(value, Mapping) and key not in _OF_DATA:
            result[key] = merged(before, value)
        else:
            result[key] = value
    return result


def check_settings(config: Settings, expected: Settings) -> Iterator[Finding]:
    """Yield the settings of a manifest (`config`) that are looser than the granted settings.

    Granted are `expected` over the defaults. A setting that the manifest does not state has its default.
    """
    base = defaults()
    granted, stated = merged(base, expected), merged(base, config)
    for key, is_looser in _LOOSER.items():
        value, allowed = (value_at(settings, key.split(".")) for settings in (stated, granted))
        if value == allowed and type(value) is type(allowed):
            continue
        try:
            looser = is_looser(value, allowed)
        except (TypeError, ValueError, AttributeError):
            looser = True
        if looser:
            yield Finding(
                "looser_settings", key, f"{key} is {value!r:.60}, granted is {allowed!r:.60}{_recipe_with(key, value)}"
            )


def loosest(first: Settings, second: Settings, places: Iterable[str]) -> JsonObject:
    """Return the first settings; within `places`, each setting that claims depend on has the looser value of the two.

    Two lists that may name more are united. Thresholds by language or task are compared as a whole, by their loosest.
    """
    result: JsonObject = {key: dict(value) if isinstance(value, Mapping) else value for key, value in first.items()}
    within = tuple(places)
    for key, is_looser in _LOOSER.items():
        if not any(key == place or key.startswith(f"{place}.") for place in within):
            continue
        section, name = key.split(".", 1)
        own, other = (value_at(settings, key.split(".")) for settings in (first, second))
        if is_looser is _more:
            result[section][name] = list(dict.fromkeys([*own, *other]))
        elif is_looser is _lacks:
            result[section][name] = dict((own or {}).items() & (other or {}).items())
        elif own != other and is_looser(other, own):
            result[section][name] = other
    return result


def _recipe_with(key: str, value: object) -> str:
    """Name the recipe that states a value, in words; empty if there is none."""
    for path in sorted(shipped(_RECIPES).glob("*.yaml")):
        if value_at(read_settings(path), key.split(".")) == value:
            return f" (as in {_RECIPES}/{path.name})"
    return ""


def _higher(value: object, allowed: object) -> bool:
    """Return whether a value is higher, hence looser; None is the loosest, a mapping by task counts by its highest."""
    return not _number(value, math.inf, max) <= _number(allowed, math.inf, max)


def _lower(value: object, allowed: object) -> bool:
    return not _number(value, -math.inf, min) >= _number(allowed, -math.inf, min)


def _lower_if_any(value: object, allowed: object) -> bool:
    """Return whether a value is lower, hence looser; None is the strictest."""
    return not _number(value, math.inf, min) >= _number(allowed, math.inf, min)


def _number(value: Any, absent: float, among: Callable[[Iterable[float]], float]) -> float:
    if value is None or value == "all":
        return absent
    if isinstance(value, Mapping):
        return float(among(float(one) for one in value.values()))
    if isinstance(value, bool | str):
        raise ValueError(value)
    return float(value)


def _more(value: Iterable[object], allowed: Iterable[object]) -> bool:
    return not set(value) <= set(allowed)


def _lacks(value: Mapping[str, float], allowed: Mapping[str, float]) -> bool:
    """Return whether a mapping lacks an entry of the other."""
    return not value.items() >= allowed.items()


def _not(strict: str) -> Callable[[object, object], bool]:
    """Return the test of a setting with a strict value: where this value is granted, any other is looser."""
    return lambda value, allowed: value != allowed and allowed == strict


# How a value of each setting is looser than another.
_LOOSER: Mapping[str, Callable[[Any, Any], bool]] = {
    "ingest.co_authored": _not("work"),
    "authors.kinds": _more,
    "authors.masked_max_documents": _higher,
    "authors.max_impurity": _higher,
    "normalize.mask": lambda value, allowed: not set(value) >= set(allowed),
    "normalize.own_name": _not("mask"),
    "normalize.signatures": _not("cut"),
    "normalize.edition_marks": _not("unify"),
    "filter.preset": operator.ne,
    **{f"filter.{rule.setting}": _lower if rule.drops == "below" else _higher for rule in BUILT_IN if rule.setting},
    "filter.plugins": _lacks,
    "dedup.threshold": _higher,
    "dedup.shingle_chars": _higher,
    "safety.scorers": lambda value, allowed: not value and bool(allowed),
    "safety.threshold": _higher,
    "safety.exempt_genres": _more,
    "sample.min_documents_per_author": _lower,
    "sample.fallback_documents_per_author": _lower_if_any,
    "sample.max_documents_per_author": _higher,
    "sample.min_origins": _lower,
    "split.unit": _not("author"),
    "split.leak_threshold": _higher,
    "split.containment.share": _higher,
    "split.containment.min_chars": _higher,
    "split.containment.shingle_chars": _higher,
    "release.ids": _not("hashed"),
    "release.queries_per_author": _higher,
    "release.min_documents_for_query": operator.ne,
    "release.min_letters_for_query": _lower,
    "release.positives": _not("other_work"),
    "release.topic": _not("words_and_pieces"),
}


# The processing plan's rules for queries, for a release that does not state its settings.
_OF_THE_PLAN: Mapping[str, object] = {"queries_per_author": "all", "min_letters_for_query": 1}


@dataclass(frozen=True)
class Rules:
    """The settings that the claims depend on; `None`: not limited; `queries_in_candidates` None: either form.

    An author gives at most `queries_per_author` queries, and at least `fewest_queries` if enough texts can be queries.
    `taken_down` documents may be missing, of the authors in `losing` (None: of any author); so may the documents of the
    authors `withheld_of` that a public bundle withholds. With `lengths`, as in releases that state their `topic`, all
    negatives by topic or date are balanced in length. `settings` are all sections that claims depend on.
    """

    queries_in_candidates: bool | None
    other_work: bool
    queries_per_author: int | None
    fewest_queries: int | None
    min_documents_for_query: int
    min_letters_for_query: Least
    topic: Topic
    lengths: bool
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
    settings: JsonMapping
    losing: Set[str] | None = None
    withheld_of: Set[str] = frozenset()

    def may_have_lost(self, author: str) -> bool:
        """Return whether documents of an author may have been taken down, or are withheld."""
        taken = bool(self.taken_down) and (self.losing is None or author in self.losing)
        return taken or author in self.withheld_of


def make_rules(manifest: Manifest, expected: JsonMapping | None = None) -> Rules:
    """Return the rules from `expected`, else the manifest's resolved config, else the defaults of config.yaml.

    Without a manifest, either form of queries is accepted, and the plan's numbers apply. Raises InputError for an
    unknown section or key.
    """
    expected = expected or {}
    settings = dict(defaults())
    settings["release"] = {**settings["release"], "topic": None}
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
            topic=release["topic"] or EARLIER,
            lengths=release["topic"] is not None,
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


def _most_queries(value: object) -> int | None:
    """Return the most queries an author gives in a split; None: `all`."""
    if value == "all":
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"release.queries_per_author is {value!r}, expected a number from 1 on, or `all`")
    return value


def _letters(value: int | Mapping[str, int]) -> Least:
    """Return the least letters of a query, by language where the value is a table."""
    if not isinstance(value, Mapping):
        return int(value)
    return {**{str(lang): int(least) for lang, least in value.items()}, "default": int(value["default"])}


def continues_a_lock(manifest: Manifest) -> bool:
    """Return whether the release kept the ids of an earlier release."""
    return bool(value_at(manifest, ("config", "split", "lock")))


def taken_down(manifest: Manifest) -> int:
    """Return how many documents the manifest reports as taken down.

    Raises:
        InputError: the manifest does not state a whole number from 0 on.
    """
    taken = (manifest.get("takedown") or {}).get("documents", 0)
    if isinstance(taken, bool) or not isinstance(taken, int) or taken < 0:
        raise InputError(f"manifest.json: takedown.documents is {taken!r:.40}. Expected a number from 0 on.")
    return taken
