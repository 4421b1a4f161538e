"""Summarise the difference of two releases as an object and as text."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Generic, Literal, TypedDict, TypeVar

import polars as pl

from authbench.core.json_values import JsonMapping
from authbench.release.format.manifest import Manifest, Totals, Verification
from authbench.reports.diff.releases import MAJOR, NONE, KeyedRelease, VersionChange, version_change

CHANGES = pl.Schema(dict.fromkeys(("change", "source", "reason", "id", "before", "after"), pl.String))
_TAKEN_DOWN = "taken down"
_NOT_LOGGED = "not known: the log of its removals (dirty_docs.log) is not beside the release"


def changed_documents(a: KeyedRelease, b: KeyedRelease) -> pl.DataFrame:
    """Return a row for every change (CHANGES): `gone`, `new`, `split`, `id`, `text`.

    Sorted by change, source, reason and id. `before` and `after` are the differing values: splits, ids, SHA-256 of
    texts.
    """
    both = a.documents.join(b.documents, on="key", suffix="_b")
    rows = [
        ("gone", row["source"], _why_gone(row, b), row["id"], row["split"], None)
        for row in a.documents.join(b.documents, on="key", how="anti").iter_rows(named=True)
    ]
    rows += [
        ("new", row["source"], _why_new(row["key"], row["source"], a), row["id"], None, row["split"])
        for row in b.documents.join(a.documents, on="key", how="anti").iter_rows(named=True)
    ]
    for change, column in (("split", "split"), ("id", "id"), ("text", "content_sha256")):
        differing = both.filter(pl.col(column) != pl.col(f"{column}_b"))
        rows += [
            (change, source, "", ident, before, after)
            for source, ident, before, after in differing.select(
                "source", "id_b", pl.col(column).alias("before"), pl.col(f"{column}_b").alias("after")
            ).iter_rows()
        ]
    return pl.DataFrame(rows, schema=CHANGES, orient="row").sort("change", "source", "reason", "id")


def _why_gone(document: JsonMapping, b: KeyedRelease) -> str:
    key, author, source = (document[name] for name in ("key", "author_id", "source"))
    if key in b.reasons:
        return b.reasons[key].replace("_", " ")
    if source not in b.release.manifest["inputs"]:
        return "its source is left out"
    if b.release.manifest["takedown"]["documents"] and key in b.numbered and _takes_down(author, b):
        return _TAKEN_DOWN
    return "no longer selected, or no longer in the raw files" if b.logged else _NOT_LOGGED


def _takes_down(author: str, b: KeyedRelease) -> bool:
    """Return whether a document with a number in `b` but no text was certainly taken down.

    This is certain if `b` was built without a lock, or if its lock no longer has the author.
    """
    return not b.release.manifest["config"]["split"]["lock"] or author not in b.authors


def _why_new(key: str, source: str, a: KeyedRelease) -> str:
    if key in a.reasons:
        return f"was {a.reasons[key].replace('_', ' ')}"
    if source not in a.release.manifest["inputs"]:
        return "its source is new"
    return "newly selected, or new in the raw files"


def changed_queries(a: KeyedRelease, b: KeyedRelease) -> dict[str, list[str]]:
    """Return the ids of queries that are `gone`, `new`, or have other `answers`."""
    both = a.queries.join(b.queries, on="key", suffix="_b")
    return {
        "gone": sorted(a.queries.join(b.queries, on="key", how="anti")["id"]),
        "new": sorted(b.queries.join(a.queries, on="key", how="anti")["id"]),
        "answers": sorted(both.filter(pl.col("answers") != pl.col("answers_b"))["id_b"]),
    }


WORDS = {
    "gone": "gone",
    "new": "new",
    "split": "in another split",
    "id": "under another id",
    "text": "with another text",
}
_SHOWN = 5
Value = TypeVar("Value")


class Cause(TypedDict):
    """A place where the manifests differ, with both values."""

    what: str
    a: object
    b: object


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
        "a": str(a.release.folder),
        "b": str(b.release.folder),
        "verification": {"a": a.release.verification, "b": b.release.verification},
        "totals": {"a": a.release.manifest["totals"], "b": b.release.manifest["totals"]},
        "documents": changed_documents(a, b).to_dicts(),
        "queries": changed_queries(a, b),
        "causes": [
            {"what": what, "a": one, "b": other} for what, one, other in causes(a.release.manifest, b.release.manifest)
        ],
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
    for change, source, reason, ids in by_reason(found):
        why = f" ({reason})" if reason else ""
        lines.append(f"documents {WORDS[change]}: {len(ids):,} of {source}{why}: {_listed(ids)}")
    for change, ids in found["queries"].items():
        if ids:
            lines.append(
                f"queries {'with other answers' if change == 'answers' else change}: {len(ids):,}: {_listed(ids)}"
            )
    lines += [f"why: {one['what']}: {one['a']} -> {one['b']}" for one in found["causes"]]
    lines += _version_lines(found["version"])
    return "\n".join(lines) + "\n"


def by_reason(found: Difference) -> Iterator[tuple[str, str, str, Sequence[str]]]:
    """Yield change, source and reason of the changed documents with their ids."""
    rows = pl.DataFrame(found["documents"], CHANGES)
    for change in WORDS:
        for (source, reason), part in rows.filter(change=change).group_by("source", "reason", maintain_order=True):
            yield change, str(source), str(reason), part["id"].to_list()


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


def causes(a: Manifest, b: Manifest) -> list[tuple[str, object, object]]:
    """Return where two manifests differ in the causes of the releases: (place, value in `a`, value in `b`)."""
    return [difference for part in _MADE_BY for difference in differences(part, a.get(part), b.get(part))]


def differences(place: str, one: object, other: object) -> Iterator[tuple[str, object, object]]:
    """Yield the innermost places where two values differ, with both values.

    >>> list(differences("config", {"seed": 1, "split": {"lock": None}}, {"seed": 2, "split": {"lock": None}}))
    [('config.seed', 1, 2)]
    """
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in sorted(one.keys() | other.keys()):
            yield from differences(f"{place}.{key}", one.get(key), other.get(key))
    elif one != other:
        yield place, one, other
