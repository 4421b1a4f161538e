"""Compile the metadata of a merged release: settings, funnel, deviation, labels, and provenance."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

import polars as pl

from authbench.build.labels.decision import read_decisions
from authbench.build.sample.deviation import NO_TARGET, recount
from authbench.config.settings.data import DataConfig
from authbench.config.settings.safety import ScorerName
from authbench.config.settings.sample import Sample
from authbench.core.funnel import STAGES, FunnelRow
from authbench.core.identity import sha256_of_text
from authbench.core.storage.atomic import sha256_of_file
from authbench.core.storage.raw_paths import RawFiles
from authbench.core.storage.sha256sums import SUMS
from authbench.publish.merging.sides import Side
from authbench.release.format import files
from authbench.release.format.deviation import Deviation
from authbench.release.format.findings import LabelRow
from authbench.release.format.manifest import Manifest, MergedPart, MergedTargets, RawLock, Scorer
from authbench.release.format.release import read_deviation
from authbench.release.reading.typed_csv import read_rows

STAGE = "merge"


def merged_funnel(
    first: Sequence[FunnelRow],
    second: Sequence[FunnelRow],
    gone: Mapping[tuple[str, str], int],
    here: Mapping[str, int],
) -> list[FunnelRow]:
    """Return the sum of both funnels by stage, with a last stage for the documents removed by the merge.

    A stage that only 1 release has for a source passes all documents of the other.

    Args:
        gone: number of removed documents by source and reason.
        here: number of documents of each source in the merged release.
    """
    counts: dict[str, dict[str, Counter[str]]] = {}
    for rows in (first, second):
        for source, stages in _by_source(rows).items():
            known, carried = counts.setdefault(source, {}), 0
            for stage in STAGES:
                found = stages.get(stage, Counter({"in": carried, "kept": carried}))
                known.setdefault(stage, Counter()).update(found)
                carried = found["kept"]
    for source, stages in counts.items():
        stages[STAGE].update({reason: number for (tag, reason), number in gone.items() if tag == source})
        stages[STAGE]["kept"] = here.get(source, 0)
    return [
        {"source": source, "stage": stage, "reason": reason, "documents": found[reason]}
        for source, stages in sorted(counts.items())
        for stage, found in stages.items()
        if any(found.values())
        for reason in dict.fromkeys(["in", *found, "kept"])
        if found[reason] or reason in ("in", "kept")
    ]


def _by_source(rows: Iterable[FunnelRow]) -> dict[str, dict[str, Counter[str]]]:
    found: dict[str, dict[str, Counter[str]]] = {}
    for row in rows:
        found.setdefault(row["source"], {}).setdefault(row["stage"], Counter())[row["reason"]] += row["documents"]
    return found


def merged_deviation(
    first: Deviation, second: Deviation, documents: pl.DataFrame, config: DataConfig, down: int
) -> Deviation:
    """Return sampling_deviation.json without targets: the sum of both supplies, and the current sample.

    `down` documents were taken down after sampling.
    """
    available: Counter[tuple[str, ...]] = Counter()
    held: Counter[str] = Counter()
    for one in (first, second):
        for row in one["languages"]:
            available[(row["language"],)] += row["available"]
            available["genre", row["language"], NO_TARGET] += row["available"]
            held[row["language"]] += row.get("held", row["available"])
        for cell in one["cells"]:
            if cell["dimension"] == "length":
                available["length", cell["language"], cell["key"]] += cell["available"]
    places = documents.select("lang", "length_bucket").unique().sort("lang", "length_bucket")
    languages = list(places["lang"].unique().sort())
    cells = [("length", lang, bucket) for lang, bucket in places.iter_rows()]
    cells += [("genre", lang, NO_TARGET) for lang in languages]
    empty = {"target": None, "taken": 0, "deficit": None}
    known = {
        "documents": {"target": None, "taken": 0},
        "shortfall": config["sample"]["shortfall"],
        "languages": [
            {"language": lang, "available": available[(lang,)], **empty, "held": held[lang]} for lang in languages
        ],
        "cells": [
            {"language": lang, "dimension": where, "key": key, "available": available[where, lang, key], **empty}
            for where, lang, key in cells
        ],
        "bound": {"least_deviation": 0.0, "reached": 0.0},
        "fallback_authors": 0,
    }
    found = recount(cast(Deviation, known), documents, config["sample"])
    return {**found, "documents": {"target": None, "taken": documents.height + down}}


def merged_scorers(first: Manifest, second: Manifest) -> tuple[list[Scorer], list[ScorerName]]:
    """Return the distinct scorers of two manifests, and their names in the settings."""
    named: dict[str, tuple[Scorer, ScorerName]] = {}
    for manifest in (first, second):
        names = manifest["config"]["safety"]["scorers"]
        named |= {row["identity"]: (row, name) for row, name in zip(manifest["scorers"], names, strict=True)}
    return [row for row, _ in named.values()], [name for _, name in named.values()]


def merged_labels(first: Iterable[LabelRow], second: Iterable[LabelRow]) -> list[LabelRow]:
    """Return the rows of statistics/labels.csv; for a source and decision in both, the row measured on more texts."""
    best: dict[tuple[str, str | None], LabelRow] = {}
    for row in (*first, *second):
        place = (row["source"], row["decision"])
        if place not in best or row["texts"] > best[place]["texts"]:
            best[place] = row
    return [best[place] for place in sorted(best, key=lambda place: (place[0], place[1] or ""))]


def merged_inputs(first: Mapping[str, RawFiles], second: Mapping[str, RawFiles]) -> dict[str, RawFiles]:
    """Return the raw files of each source; if they differ, all files of both and a digest of both digests."""
    found = {**second, **first}
    for tag in first.keys() & second.keys():
        one, other = first[tag], second[tag]
        if one != other:
            both = sha256_of_text(f"{one['sha256']} {other['sha256']}")
            found[tag] = {"files": one["files"] + other["files"], "sha256": both}
    return {tag: found[tag] for tag in sorted(found)}


def merged_raw_lock(first: RawLock, second: RawLock) -> RawLock:
    """Return the raw file metadata of both; a source is `verified` if it is in every release that has it."""
    sources = dict(sorted({**first["sources"], **second["sources"]}.items()))
    for tag in first["sources"].keys() & second["sources"].keys():
        states = (first["sources"][tag], second["sources"][tag])
        sources[tag] = next((state for state in states if state != "verified"), "verified")
    one, other = first["sha256"], second["sha256"]
    if one is None or other is None:
        return {"sha256": None, "sources": sources}
    return {"sha256": one if one == other else sha256_of_text(f"{one} {other}"), "sources": sources}


def stated_parts(sides: Iterable[Side], table: pl.DataFrame) -> list[MergedPart]:
    """Return the manifest's entry for either release (`merged`); `table` is `contents.merged_table`."""
    parts: list[MergedPart] = []
    for place, side in enumerate(sides, start=1):
        own, sums = table.filter(pl.col("release") == place), side.release.folder / SUMS
        gone = own.drop_nulls("reason")
        parts.append(
            {
                "name": side.release.name,
                "sha256": sha256_of_file(sums) if sums.is_file() else None,
                "versions": side.release.manifest["versions"],
                "scorers": side.release.manifest["scorers"],
                "config": side.config,
                "sample": _targets(side.config["sample"]),
                "documents": own.height,
                "kept": own.height - gone.height,
                "removed": dict(sorted(Counter(gone["reason"]).items())),
                "renumbered": own.filter(pl.col("id") != pl.col("id_before")).height,
            }
        )
        if side.release.unverified:
            parts[-1]["unverified"] = side.release.unverified
    return parts


def _targets(sample: Sample) -> MergedTargets:
    return {
        "documents": sample.get("documents"),
        "languages": sample.get("languages"),
        "lengths": sample.get("lengths"),
        "genres": sample.get("genres"),
    }


def read_counts(side: Side) -> tuple[list[FunnelRow], list[LabelRow], Deviation]:
    """Return the funnel, the label rows and the deviation of a release."""
    folder = side.release.folder
    funnel = read_rows(folder / files.FUNNEL, FunnelRow)
    labels = read_decisions(folder / "statistics" / "labels.csv")
    return funnel, labels, read_deviation(folder)
