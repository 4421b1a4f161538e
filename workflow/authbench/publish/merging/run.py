"""Merge two releases into a folder."""

from collections import Counter
from collections.abc import Sequence, Set
from pathlib import Path
from typing import Any, cast

import polars as pl

from authbench.build.release import statistics
from authbench.build.release.contents import Contents
from authbench.build.release.manifest import count_documents
from authbench.build.release.statement import library_versions
from authbench.build.release.tables import write_split
from authbench.build.release.warnings import of_the_build, warnings
from authbench.build.release.write import write_bookkeeping
from authbench.build.split.leakage import find_leaks
from authbench.config.registry.citations import bibliography
from authbench.config.settings.data import DataConfig
from authbench.core.errors import InputError
from authbench.core.json_values import JsonObject
from authbench.core.storage.atomic import atomic_folder, write_text
from authbench.core.storage.json_files import write_plain_json
from authbench.core.storage.parquet import write_plain_parquet
from authbench.publish.merging import bookkeeping
from authbench.publish.merging.contents import merge_contents, merged_table, new_numbers, renumbered
from authbench.publish.merging.settle import settle
from authbench.publish.merging.sides import Side, expect_fitting, expect_name, merged_config, read_side
from authbench.release.checking import check_release
from authbench.release.format import files
from authbench.release.format.findings import SourceRow
from authbench.release.format.manifest import Manifest, Scorer
from authbench.release.format.release import Release
from authbench.release.reading.typed_csv import read_rows
from authbench.reports.report.stated import stated_sources
from authbench.reports.report.write import write_report

_BY_SOURCE = ("licences", "sources", "fame")


def merge(first: Release, second: Release, out: Path, name: str, takedown: Set[str] = frozenset()) -> JsonObject:
    """Merge two complete releases into the folder `out`; return the manifest's `merged`, `takedown` and `totals`.

    Ids and splits of the first are kept, and of the second unless the first uses them for another document. Overlaps
    are resolved by `settle`; merged.parquet lists the removed documents with reasons. The result is checked before it
    gets its final name.

    Memory: all texts of both, and 2 KB of content words per text in a split.

    Args:
        first: the release that takes precedence.
        takedown: author ids and SHA-256 of contents to exclude.

    Raises:
        InputError: the name is not allowed, the releases are incompatible, takedowns of a release are unknown, or the
            result fails the checks.
    """
    expect_name(name)
    own, other = read_side(first), read_side(second)
    expect_fitting(own, other)
    if not takedown:
        _expect_known_takedowns(own, other)
    numbers = new_numbers(own.lock, other.lock)
    mine = {own.key_of[ident] for ident in own.documents["id"]}
    same = {numbers[ident] for ident in other.documents["id"] if other.key_of[ident] in mine}
    # a document that the first has too gets a suffix: every document has a unique id until duplicates are resolved
    numbers = {before: f"{now}'" if now in same else now for before, now in numbers.items()}
    moved = renumbered(other, numbers)
    scorers, names = bookkeeping.merged_scorers(own.release.manifest, other.release.manifest)
    config = merged_config(name, own.config, other.config)
    config["safety"] = {**config["safety"], "scorers": names}
    texts = pl.concat(
        side.documents.select("lang", "content", doc_key="id", origin_id="origin") for side in (own, moved)
    )
    split, dedup = config["split"], config["dedup"]
    leaks = find_leaks(texts, split["leak_threshold"], dedup["threshold"], dedup["shingle_chars"], split["containment"])
    settled = settle(own, moved, leaks, config, takedown)
    contents = merge_contents(own, moved, settled, leaks, config, takedown)
    table = merged_table((own.documents, other.documents), numbers, settled)
    with atomic_folder(out) as place:
        manifest = _write(place, own, other, contents, table, config, scorers)
        violations = check_release(place, {section: dict(config)[section] for section in files.CHECKED_SECTIONS})
        if violations:
            found = "\n".join(str(violation) for violation in violations)
            raise InputError(f"The merged release would not be sound; nothing was written to {out}\n{found}")
    return {key: dict(manifest)[key] for key in ("merged", "takedown", "totals")}


def _expect_known_takedowns(own: Side, other: Side) -> None:
    """Raise InputError if it is unknown which documents a release took down."""
    for side in (own, other):
        number = side.release.manifest["takedown"].get("documents", 0)
        if side.continues and number:
            raise InputError(
                f"{side.release.folder} took down {number} documents, and continues the lock of an earlier release, so "
                "that nothing says which. Give the list that it was built with: --takedown FILE."
            )


def _write(
    folder: Path,
    own: Side,
    other: Side,
    contents: Contents,
    table: pl.DataFrame,
    config: DataConfig,
    scorers: Sequence[Scorer],
) -> Manifest:
    one, two = own.release.manifest, other.release.manifest
    documents, sides = contents.documents, (own, other)
    tags = [dict(side.documents.select("id", "source").iter_rows()) for side in sides]
    lost = table.drop_nulls("reason").select("release", "id_before", "reason")
    gone = Counter((tags[place - 1][ident], reason) for place, ident, reason in lost.iter_rows())
    (funnel, labels, deviation), (its_funnel, its_labels, its_deviation) = map(bookkeeping.read_counts, sides)
    here = set(documents["source"])
    both: Sequence[Any] = (two, one)
    by_source: dict[str, JsonObject] = {
        key: {tag: stated for manifest in both for tag, stated in manifest.get(key, {}).items()} for key in _BY_SOURCE
    }
    known = stated_sources(other.release) | stated_sources(own.release)
    sources = {tag: known[tag] for tag in sorted(here)}
    noisy = _noisy(own) | _noisy(other)
    facts: Any = {
        "config": config,
        "versions": {**two["versions"], **one["versions"], **library_versions()},
        "inputs": bookkeeping.merged_inputs(one["inputs"], two["inputs"]),
        "raw_lock": bookkeeping.merged_raw_lock(one["raw_lock"], two["raw_lock"]),
        "scorers": scorers,
        "skipped_sources": sorted(({*one["skipped_sources"]} | {*two["skipped_sources"]}) - here),
        "takedown": contents.takedown,
        "splits": list(contents.splits),
        "funnel": bookkeeping.merged_funnel(funnel, its_funnel, gone, Counter(documents["source"])),
        "labels": [row for row in bookkeeping.merged_labels(labels, its_labels) if row["source"] in here],
        "pools": contents.pools.to_dicts(),
        "deviation": bookkeeping.merged_deviation(
            deviation, its_deviation, documents, config, contents.takedown["documents"]
        ),
        "toxicity_rates": [],
        "ingest": {},
        "dedup": {},
        "split": {},
    }
    warned: Any = {**facts, "ingest": {tag: {"noisy_authors": 1.0} for tag in noisy & here}}
    build = [line for side in sides for line in of_the_build(side.release.manifest["warnings"])]
    unverified = [
        f"It is made of {side.release.name}, which was not verified: {side.release.unverified}."
        for side in sides
        if side.release.unverified
    ]
    if filters := {**two.get("filters", {}), **one.get("filters", {})}:
        facts["filters"] = filters
    facts["warnings"] = [
        *unverified,
        *warnings(warned, documents, contents.queries, sources),
        *dict.fromkeys(build),
    ]
    manifest = {
        **{key: value for key, value in one.items() if key not in ("withheld", "merged")},
        **{key: facts[key] for key in ("config", "versions", "inputs", "raw_lock", "scorers", "skipped_sources")},
        **{key: {tag: by_source[key][tag] for tag in sorted(by_source[key]) if tag in here} for key in _BY_SOURCE},
        **{key: facts[key] for key in ("takedown", "warnings", "filters") if key in facts},
        "name": config["name"],
        "merged": bookkeeping.stated_parts(sides, table),
        **count_documents(documents, contents.queries, contents.splits),
    }
    for split in contents.splits:
        write_split(folder / split, contents, split)
    write_plain_parquet(documents.select(own.release.provenance.columns), folder / files.PROVENANCE)
    write_plain_parquet(table, folder / files.MERGED)
    write_plain_json(folder / files.LOCK, contents.lock)
    tables = statistics.tables(documents, contents.queries, contents.splits, noisy & here)
    write_bookkeeping(folder, facts, {**tables, "pools": contents.pools})
    cited = {tag: stated["citation"] for tag, stated in manifest["sources"].items()}
    write_text(folder / files.CITATIONS, bibliography(cited))
    write_plain_json(folder / files.MANIFEST, manifest)
    write_report(folder, sources, facts)
    return cast(Manifest, manifest)


def _noisy(side: Side) -> set[str]:
    rows = read_rows(side.release.folder / "statistics" / "sources.csv", SourceRow)
    return {row["source"] for row in rows if row["noisy"]}
