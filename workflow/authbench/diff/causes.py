"""Find the causes of a difference: where the manifests of two releases disagree."""

from collections.abc import Iterator, Mapping
from typing import Any

from authbench.format.manifest import Manifest

_MADE_BY = ("authbench", "config", "versions", "inputs", "scorers", "skipped_sources", "licences", "takedown")


def causes(a: Manifest, b: Manifest) -> list[tuple[str, Any, Any]]:
    """Return where two manifests differ in the causes of the releases: (place, value in `a`, value in `b`)."""
    return [difference for part in _MADE_BY for difference in differences(part, a.get(part), b.get(part))]


def differences(place: str, one: Any, other: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the innermost places where two values differ, with both values.

    >>> list(differences("config", {"seed": 1, "split": {"lock": None}}, {"seed": 2, "split": {"lock": None}}))
    [('config.seed', 1, 2)]
    """
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in sorted(one.keys() | other.keys()):
            yield from differences(f"{place}.{key}", one.get(key), other.get(key))
    elif one != other:
        yield place, one, other
