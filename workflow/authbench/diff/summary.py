"""Summarise the difference of two releases as an object and as text."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Generic, Literal, TypedDict, TypeVar

import polars as pl

from authbench.diff.comparable import MAJOR, NONE, VersionChange, version_change
from authbench.diff.documents import changed_documents, changed_queries
from authbench.diff.releases import KeyedRelease
from authbench.format.manifest import Manifest, Totals, Verification

_HEADINGS = {
    "gone": "documents gone",
    "new": "documents new",
    "split": "documents in another split",
    "id": "documents under another id",
    "text": "documents with another text",
}
_SHOWN = 5
Value = TypeVar("Value")


class Cause(TypedDict):
    """A place where the manifests differ, with both values."""

    what: str
    a: Any
    b: Any


class Both(TypedDict, Generic[Value]):
    """The values of both releases."""

    a: Value
    b: Value


class Difference(TypedDict):
    """What changed from release `a` to `b`; `documents` are rows of CHANGES, `queries` ids by change."""

    a: str
    b: str
    verification: Both[Verification]
    totals: Both[Totals]
    documents: Sequence[Mapping[str, str | None]]
    queries: Mapping[str, Sequence[str]]
    causes: list[Cause]
    version: VersionChange


def difference(a: KeyedRelease, b: KeyedRelease) -> Difference:
    """Return what changed and why, and the change of the version.

    The result has `documents` (rows of CHANGES), `queries`, `causes`, `totals`, `verification` and `version`.
    """
    return {
        "a": str(a.folder),
        "b": str(b.folder),
        "verification": {"a": a.verification, "b": b.verification},
        "totals": {"a": a.manifest["totals"], "b": b.manifest["totals"]},
        "documents": changed_documents(a, b).to_dicts(),
        "queries": changed_queries(a, b),
        "causes": [{"what": what, "a": one, "b": other} for what, one, other in causes(a.manifest, b.manifest)],
        "version": version_change(a, b),
    }


def is_same(found: Difference) -> bool:
    """Return whether two releases have the same documents, queries and causes, and scores on them can be compared."""
    return not (
        found["documents"] or found["causes"] or any(found["queries"].values()) or found["version"]["bump"] == MAJOR
    )


def difference_text(found: Difference) -> str:
    """Return the difference in words: counts by reason, the first ids of each, then the differences of the builds."""
    if is_same(found):
        return f"{found['a']} and {found['b']}: the same documents, queries and settings\n"
    names: tuple[Literal["documents", "authors", "languages", "queries"], ...]
    names = ("documents", "authors", "languages", "queries")
    lines = [f"{name}: {found['totals']['a'][name]:,} -> {found['totals']['b'][name]:,}" for name in names]
    rows = pl.DataFrame(found["documents"], infer_schema_length=None) if found["documents"] else None
    for change, heading in _HEADINGS.items() if rows is not None else ():
        changed = rows.filter(pl.col("change") == change) if rows is not None else pl.DataFrame()
        for (source, reason), part in changed.group_by("source", "reason", maintain_order=True):
            why = f" ({reason})" if reason else ""
            lines.append(f"{heading}: {part.height:,} of {source}{why}: {_listed(part['id'].to_list())}")
    for change, ids in found["queries"].items():
        if ids:
            lines.append(
                f"queries {'with other answers' if change == 'answers' else change}: {len(ids):,}: {_listed(ids)}"
            )
    lines += [f"why: {one['what']}: {one['a']} -> {one['b']}" for one in found["causes"]]
    lines += _version_lines(found["version"])
    return "\n".join(lines) + "\n"


def _version_lines(version: VersionChange) -> list[str]:
    """Return in words how the version changes, and why."""
    if version["bump"] == NONE:
        return []
    numbers = f", {version['before']} -> {version['proposed']}" if version["proposed"] else ""
    lines = [f"version: {version['bump']}{numbers}"]
    if version["proposed"] and version["stated"] not in (version["before"], version["proposed"]):
        lines[0] += f" ({version['stated']} is stated)"
    for one in version["reasons"]:
        lines.append(f"version: {one['level']}: " + (f"{one['split']}: " if one["split"] else "") + one["why"])
    comparable = ", ".join(version["comparable"])
    lines.append(f"scores can be compared on: {comparable}" if comparable else "scores cannot be compared on any split")
    return lines


def _listed(ids: Sequence[str]) -> str:
    return ", ".join(ids[:_SHOWN]) + (" …" if len(ids) > _SHOWN else "")


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
