"""Write a release, without its figures and report."""

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from authbench.format import files
from authbench.format.findings import Findings
from authbench.registry.citations import bibliography
from authbench.registry.source_entry import Description
from authbench.release.contents import Contents
from authbench.release.findings import make_findings
from authbench.release.manifest import make_manifest
from authbench.release.tables import make_provenance, write_split
from authbench.report import statistics
from authbench.report.labels import labels_table
from authbench.report.warnings import noisy_share
from authbench.storage.atomic import write_text
from authbench.storage.json_files import write_plain_json
from authbench.storage.parquet import write_plain_parquet
from authbench.storage.sha256sums import write_sums


def write_release(
    folder: str | Path,
    contents: Contents,
    measures: pl.DataFrame,
    sources: Mapping[str, Description],
    facts: Findings,
) -> Findings:
    """Write a release, without its figures and report, into `folder`; return the basis of the report.

    Args:
        folder: where the files go.
        contents: the content of the release.
        measures: doc_key and measurements, which go into the provenance.
        sources: by tag.
        facts: the findings of the earlier stages (`report.facts`).
    """
    folder = Path(folder)
    findings = make_findings(contents, sources, facts)
    for split in contents.splits:
        write_split(folder / split, contents, split)
    labels = findings["config"].get("release", {}).get("labels", ())
    unique = findings["config"].get("dedup", {}).get("unique", {})
    provenance = make_provenance(contents.documents, measures, sources, labels, unique)
    write_plain_parquet(provenance, folder / files.PROVENANCE)
    write_plain_json(folder / files.LOCK, contents.lock)
    noisy = {tag for tag in sources if noisy_share(tag, sources, findings["ingest"])}
    tables = statistics.tables(contents.documents, contents.queries, contents.splits, noisy)
    _write_bookkeeping(folder, findings, {**tables, "pools": contents.pools})
    manifest = make_manifest(contents, sources, findings)
    write_text(
        folder / files.CITATIONS, bibliography({tag: one["citation"] for tag, one in manifest["sources"].items()})
    )
    write_plain_json(folder / files.MANIFEST, manifest)
    write_sums(folder)
    return findings


def _write_bookkeeping(folder: Path, findings: Findings, tables: Mapping[str, pl.DataFrame]) -> None:
    """Write sampling_deviation.json, funnel.csv, and statistics/ of the tables and of the labels."""
    write_plain_json(folder / files.DEVIATION, findings["deviation"])
    write_text(folder / files.FUNNEL, statistics.funnel_table(findings["funnel"]).write_csv())
    for name, table in {**tables, "labels": labels_table(findings.get("labels", ()))}.items():
        write_text(folder / "statistics" / f"{name}.csv", table.write_csv())
