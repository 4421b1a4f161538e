"""Count the documents of each source through the stages.

Each stage counts, per source, the documents that entered, that it kept, and that it dropped by reason. Counts that do
not add up stop the stage, and counts of two stages that do not match stop the release: no document vanishes without a
reason.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

import polars as pl

from authbench.core.json_values import JsonObject

STAGES = (
    "ingest",
    "normalize",
    "dedup_documents",
    "chunk",
    "filter",
    "dedup_chunks",
    "sample",
    "split",
    "release",
    "merge",
)
Counts = JsonObject


class FunnelRow(TypedDict):
    """Hold how many documents of a source a stage took in, kept, or dropped for a reason."""

    source: str
    stage: str
    reason: str
    documents: int


class Unaccounted(Exception):
    """Report documents that appeared or vanished without a reason: an error of the program, never of the input."""


class Tally:
    """Add up the counts of a stage, batch by batch.

    `counts()` returns `{"stage", "sources": {source: {"in", "kept", "gained", "dropped": {reason: n}}}, "facts"}`.
    """

    def __init__(self, stage: str) -> None:
        self.stage = stage
        self.entered: Counter[str] = Counter()
        self.kept: Counter[str] = Counter()
        self.dropped: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.facts: dict[str, object] = {}

    def add(self, entered: pl.DataFrame, kept: pl.DataFrame, removed: pl.DataFrame | None = None) -> None:
        """Count a batch: frames with `source`; a removed document counts under its first reason."""
        self.entered.update(_by_source(entered))
        self.kept.update(_by_source(kept))
        if removed is not None:
            first = removed.unique("doc_key", keep="first", maintain_order=True)
            for source, reason, number in first.group_by("source", "reason").len().iter_rows():
                self.dropped[source][reason] += number

    def drop(self, entered: pl.DataFrame, reason: str) -> None:
        """Count documents that entered and were dropped for a reason, and that no table lists."""
        for source, number in _by_source(entered).items():
            self.entered[source] += number
            self.dropped[source][reason] += number

    def note(self, name: str, fact: object) -> None:
        """Add numbers, or nested mappings of numbers, to a metadata entry."""
        self.facts[name] = add_up(self.facts[name], fact) if name in self.facts else fact

    def counts(self) -> Counts:
        """Return the counts of the stage.

        Raises:
            Unaccounted: a source's entered documents differ from its kept and dropped documents.
        """
        sources = {}
        for source in sorted(self.entered):
            dropped = dict(sorted(self.dropped[source].items()))
            gained = self.kept[source] + sum(dropped.values()) - self.entered[source]
            sources[source] = {
                "in": self.entered[source],
                "kept": self.kept[source],
                "gained": gained,
                "dropped": dropped,
            }
            if gained < 0 or (gained and self.stage != "chunk"):
                raise Unaccounted(f"{self.stage}, {source}: {sources[source]} do not add up")
        return {"stage": self.stage, "sources": sources, "facts": self.facts}


def add_up(one: Any, other: Any) -> Any:
    """Return the sum of two numbers, or of two mappings key by key."""
    if isinstance(one, Mapping):
        keys = [*one, *(key for key in other if key not in one)]
        return {
            key: add_up(one[key], other[key]) if key in one and key in other else {**one, **other}[key] for key in keys
        }
    return one + other


def merge_counts(parts: Iterable[Counts]) -> dict[str, Counts]:
    """Return the counts of all parts (shards, sources) by stage."""
    merged: dict[str, Counts] = {}
    for part in parts:
        stage = merged.setdefault(part["stage"], {"stage": part["stage"], "sources": {}})
        stage["sources"] = add_up(stage["sources"], part["sources"])
    return merged


def join_stages(counts: Mapping[str, Counts]) -> list[FunnelRow]:
    """Return the funnel as rows (source, stage, reason, documents), in the order of stages and sources.

    Reasons are `in`, `gained`, the reasons of dropped documents, and `kept`.

    Raises:
        Unaccounted: for some source, the documents that entered a stage differ from those kept by the previous stage.
    """
    rows: list[FunnelRow] = []
    carried: dict[str, int] = {}
    for stage in [stage for stage in STAGES if stage in counts]:
        for source, count in sorted(counts[stage]["sources"].items()):
            if carried and carried.get(source, 0) != count["in"]:
                raise Unaccounted(
                    f"{stage}, {source}: {count['in']} came in, {carried.get(source, 0)} were kept before"
                )
            numbers = {"in": count["in"], "gained": count["gained"], **count["dropped"], "kept": count["kept"]}
            for reason, number in numbers.items():
                if number or reason in ("in", "kept"):
                    rows.append({"source": source, "stage": stage, "reason": reason, "documents": number})
        if lost := {source for source, number in carried.items() if number} - set(counts[stage]["sources"]):
            raise Unaccounted(f"{stage}: nothing came in of {sorted(lost)}")
        carried = {source: count["kept"] for source, count in counts[stage]["sources"].items()}
    return rows


def _by_source(frame: pl.DataFrame) -> dict[str, int]:
    return dict(frame.group_by("source").len().iter_rows())
