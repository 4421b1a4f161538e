"""Write a release, without its figures and report."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from authbench.build.release import statistics
from authbench.build.release.contents import Contents
from authbench.build.release.manifest import make_manifest
from authbench.build.release.measured_labels import labels_table
from authbench.build.release.tables import make_provenance, write_split
from authbench.build.release.warnings import noisy_share, warnings
from authbench.config.registry.citations import bibliography
from authbench.config.registry.source_entry import Description
from authbench.core.funnel import FunnelRow
from authbench.core.storage.atomic import write_text
from authbench.core.storage.json_files import write_plain_json
from authbench.core.storage.parquet import write_plain_parquet
from authbench.core.storage.sha256sums import write_sums
from authbench.release.format import files
from authbench.release.format.findings import Findings


def write_release(
    folder: str | Path,
    contents: Contents,
    measures: pl.DataFrame,
    sources: Mapping[str, Description],
    facts: Findings,
    key: bytes | None = None,
) -> Findings:
    """Write a release, without its figures and report, into `folder`; return the basis of the report.

    Args:
        folder: where the files go.
        contents: the content of the release.
        measures: doc_key and measurements, which go into the provenance.
        sources: by tag.
        facts: the findings of the earlier stages (`report.facts`).
        key: of the pseudonyms, if the build has one.
    """
    folder = Path(folder)
    findings = make_findings(contents, sources, facts)
    labels = findings["config"].get("release", {}).get("labels", ())
    unique = findings["config"].get("dedup", {}).get("unique", {})
    provenance = folder / files.PROVENANCE
    write_plain_parquet(make_provenance(contents.documents, measures, sources, labels, unique, key), provenance)
    del measures  # 29 numbers for each document, not needed for the rest
    for split in contents.splits:
        write_split(folder / split, contents, split)
    write_plain_json(folder / files.LOCK, contents.lock)
    noisy = {tag for tag in sources if noisy_share(tag, sources, findings["ingest"])}
    tables = statistics.tables(contents.documents, contents.queries, contents.splits, noisy)
    write_bookkeeping(folder, findings, {**tables, "pools": contents.pools})
    manifest = make_manifest(contents, sources, findings)
    write_text(
        folder / files.CITATIONS, bibliography({tag: one["citation"] for tag, one in manifest["sources"].items()})
    )
    write_plain_json(folder / files.MANIFEST, manifest)
    write_sums(folder)
    return findings


def write_bookkeeping(folder: Path, findings: Findings, tables: Mapping[str, pl.DataFrame]) -> None:
    """Write sampling_deviation.json, funnel.csv, and statistics/ of the tables and of the labels."""
    write_plain_json(folder / files.DEVIATION, findings["deviation"])
    write_text(folder / files.FUNNEL, statistics.funnel_table(findings["funnel"]).write_csv())
    for name, table in {**tables, "labels": labels_table(findings.get("labels", ()))}.items():
        write_text(folder / "statistics" / f"{name}.csv", table.write_csv())


def make_findings(contents: Contents, sources: Mapping[str, Description], facts: Findings) -> Findings:
    """Return the facts of the earlier stages with the release's rows of the funnel and all warnings in words."""
    entered = Counter(contents.documents["source"]) + Counter(contents.removed["source"])
    taken = Counter(contents.removed["source"])
    own: list[FunnelRow] = [
        {"source": source, "stage": "release", "reason": reason, "documents": count}
        for source in sorted(entered)
        for reason, count in (
            ("in", entered[source]),
            ("taken_down", taken[source]),
            ("kept", entered[source] - taken[source]),
        )
        if count or reason != "taken_down"
    ]
    before = [row for row in facts["funnel"] if row["stage"] != "release"]
    pools: list[Any] = contents.pools.to_dicts()
    deviation: Any = orjson.loads(orjson.dumps(facts["deviation"]))  # null instead of numbers that JSON lacks
    findings: Findings = {
        **facts,
        "funnel": before + own,
        "deviation": deviation,
        "takedown": contents.takedown,
        "pools": pools,
        "splits": list(contents.splits),
    }
    findings["warnings"] = warnings(findings, contents.documents, contents.queries, sources)
    return findings
