"""Find settings that weaken the claims of a release, compared with config.yaml or with granted settings."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

from authbench.checking.claims import Finding
from authbench.format.files import CHECKED_SECTIONS
from authbench.registry.defaults import default_settings
from authbench.registry.entries import read_yaml
from authbench.shipped import shipped

Settings = Mapping[str, Any]
_RECIPES = "config/recipes"
_OF_DATA = frozenset({"languages", "lengths", "genres", "prefer_sources", "splits"})


@cache
def defaults() -> dict[str, Any]:
    """Return the sections of config.yaml that claims depend on."""
    settings = cast(Settings, default_settings())
    return {section: dict(settings[section]) for section in CHECKED_SECTIONS}


def read_settings(path: str | Path) -> Settings:
    """Read settings to check against from a YAML like config.yaml or a recipe; other sections are ignored.

    Raises:
        InputError: the file cannot be read, or is not a mapping.
    """
    return read_yaml(Path(path))


def merged(settings: Settings, more: Settings) -> dict[str, Any]:
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
    """Yield the settings of a manifest (`config`) that are looser than the granted ones.

    Granted are `expected` over the defaults. A setting that the manifest does not state has its default.
    """
    base = defaults()
    granted, stated = merged(base, expected), merged(base, config)
    for key, is_looser in _LOOSER.items():
        value, allowed = _at(stated, key), _at(granted, key)
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


def loosest(first: Settings, second: Settings, places: Iterable[str]) -> dict[str, Any]:
    """Return the first settings; within `places`, each setting that claims depend on has the looser value of the two.

    Two lists that may name more are united. Thresholds by language or task are compared as a whole, by their loosest.
    """
    result: dict[str, Any] = {key: dict(value) if isinstance(value, Mapping) else value for key, value in first.items()}
    within = tuple(places)
    for key, is_looser in _LOOSER.items():
        if not any(key == place or key.startswith(f"{place}.") for place in within):
            continue
        section, name = key.split(".", 1)
        own, other = _at(first, key), _at(second, key)
        if is_looser is _more:
            result[section][name] = list(dict.fromkeys([*own, *other]))
        elif own != other and is_looser(other, own):
            result[section][name] = other
    return result


def _recipe_with(key: str, value: Any) -> str:
    """Name the recipe that states a value, in words; empty if there is none."""
    for path in sorted(shipped(_RECIPES).glob("*.yaml")):
        if _at(read_settings(path), key) == value:
            return f" (as in {_RECIPES}/{path.name})"
    return ""


def _at(settings: Any, key: str) -> Any:
    for part in key.split("."):
        settings = settings.get(part) if isinstance(settings, Mapping) else None
    return settings


def _higher(value: Any, allowed: Any) -> bool:
    """Return whether a value is higher, hence looser; None is the loosest, a mapping by task counts by its highest."""
    return not _number(value, math.inf, max) <= _number(allowed, math.inf, max)


def _lower(value: Any, allowed: Any) -> bool:
    return not _number(value, -math.inf, min) >= _number(allowed, -math.inf, min)


def _lower_if_any(value: Any, allowed: Any) -> bool:
    """Return whether a value is lower, hence looser; None is the strictest."""
    return not _number(value, math.inf, min) >= _number(allowed, math.inf, min)


def _number(value: Any, absent: float, among: Callable[[Any], Any]) -> float:
    if value is None or value == "all":
        return absent
    if isinstance(value, Mapping):
        return float(among(float(one) for one in value.values()))
    if isinstance(value, bool | str):
        raise ValueError(value)
    return float(value)


def _more(value: Any, allowed: Any) -> bool:
    return not set(value) <= set(allowed)


def _fewer(value: Any, allowed: Any) -> bool:
    return not set(value) >= set(allowed)


def _empty(value: Any, allowed: Any) -> bool:
    return not value and bool(allowed)


def _other(value: Any, allowed: Any) -> bool:
    return bool(value != allowed)


def _not(strict: str) -> Callable[[Any, Any], bool]:
    """Return the test of a setting with one strict value: where this value is granted, any other is looser."""
    return lambda value, allowed: value != allowed and allowed == strict


# How a value of each setting is looser than another.
_LOOSER: Mapping[str, Callable[[Any, Any], bool]] = {
    "authors.kinds": _more,
    "authors.masked_max_documents": _higher,
    "authors.max_impurity": _higher,
    "normalize.mask": _fewer,
    "normalize.own_name": _not("mask"),
    "normalize.signatures": _not("cut"),
    "normalize.edition_marks": _not("unify"),
    "filter.preset": _other,
    "filter.unique_words": _lower,
    "filter.dominant_word": _higher,
    "filter.symbols": _higher,
    "filter.alphabetic": _lower,
    "filter.repeated_run": _higher,
    "filter.longest_run": _higher,
    "filter.symbol_run": _higher,
    "filter.alphabetic_words": _lower,
    "filter.single_letter_words": _higher,
    "filter.single_letter_run": _higher,
    "filter.script": _lower,
    "filter.language": _higher,
    "filter.min_tokens": _lower,
    "filter.max_tokens": _higher,
    "filter.posts_per_day": _higher,
    "filter.template_share": _higher,
    "filter.quoted_share": _higher,
    "dedup.threshold": _higher,
    "dedup.shingle_chars": _higher,
    "safety.scorers": _empty,
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
    "release.queries_per_author": _higher,
    "release.min_documents_for_query": _other,
    "release.min_letters_for_query": _lower,
    "release.positives": _not("other_work"),
}
