"""Collect what a finished release states of how it was made, as far as its files allow and its report needs."""

import html
import re
from collections.abc import Mapping
from typing import cast

from authbench.build.labels.decision import read_decisions
from authbench.config.registry.source_entry import Author, Description, License
from authbench.config.registry.typed_schema import from_plain
from authbench.core.funnel import FunnelRow
from authbench.release.format import files
from authbench.release.format.findings import Findings, PoolRow
from authbench.release.format.manifest import Licence
from authbench.release.format.release import Release, read_deviation
from authbench.release.reading.typed_csv import read_rows
from authbench.reports.report.page import KINDS

_OF_MANIFEST = (
    *("config", "versions", "filters", "inputs", "scorers", "skipped_sources"),
    *("raw_lock", "takedown", "splits", "warnings"),
)
_LABEL = (
    r'<div class="label"><div><b dir="auto">([^<]*)</b><br><code>{tag}</code>.*?<span class="tag">([^<]*)</span>'
    r'.*?<p dir="auto" style="margin-top:6px">([^<]*)</p>'
)


def stated_facts(release: Release) -> Findings:
    """Return the facts that `report.page.render` takes; facts known only to the stages are empty.

    Empty are toxicity_rates, ingest, dedup and split: content of raw files, copies, toxicity rates, balance of splits.
    """
    folder, manifest = release.folder, release.manifest
    found = {
        **{key: value for key, value in manifest.items() if key in _OF_MANIFEST},
        "funnel": read_rows(folder / files.FUNNEL, FunnelRow),
        "labels": read_decisions(folder / "statistics" / "labels.csv"),
        "pools": read_rows(folder / "statistics" / "pools.csv", PoolRow),
        "deviation": read_deviation(folder),
        "toxicity_rates": [],
        "ingest": {},
        "dedup": {},
        "split": {},
    }
    return cast(Findings, found)


def stated_sources(release: Release) -> dict[str, Description]:
    """Return the sources of a release as its report describes them, under the licences stated in its manifest."""
    path = release.folder / files.REPORT
    page = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    tags = release.read_provenance(("id", "source"))["source"].unique().sort()
    return {tag: _described(page, tag, release.manifest["licences"]) for tag in tags}


def _described(page: str, tag: str, licences: Mapping[str, Licence]) -> Description:
    """Return a source as the report describes it, under the licence stated in the manifest."""
    found = re.search(_LABEL.format(tag=re.escape(html.escape(tag))), page, re.DOTALL)
    title, kind, about = map(html.unescape, found.groups()) if found else (tag, "", "")
    kinds = {words: kind for kind, words in KINDS.items()}
    terms = from_plain(License, licences.get(tag, {"name": "None", "tier": "None"}))
    return Description(title, terms, from_plain(Author, {"kind": kinds.get(kind, kind)}), about)
