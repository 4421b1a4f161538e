"""Write the figures and the report of a release, and the SHA-256 of all its files."""

from pathlib import Path

import polars as pl

from authbench.format.columns import GROUND_TRUTH
from authbench.format.files import REPORT
from authbench.format.findings import Findings
from authbench.format.release import Release, open_complete_release
from authbench.format.tables import concat
from authbench.presentation.pages import write_charts
from authbench.release import statistics
from authbench.release.words import Sources
from authbench.report import figures
from authbench.report.page import render
from authbench.storage.atomic import write_text
from authbench.storage.sha256sums import write_sums


def write_report(release: Path, sources: Sources, findings: Findings) -> None:
    """Write `figures/*.svg`, `report.html` and, last, SHA256SUMS into the folder of a release, as `draw_report`."""
    draw_report(release, release, sources, findings)
    write_sums(release)


def draw_report(release: Path, out: Path, sources: Sources, findings: Findings) -> None:
    """Write `figures/*.svg` and `report.html` of a release into a folder.

    Args:
        release: a folder as `release.write.write_release` leaves it.
        sources: the source entries by tag (title, about, license, author).
        findings: what `write_release` returned.
    """
    written = open_complete_release(release)
    documents, queries = written.provenance, queries_of(written)
    tables = statistics.tables(documents, queries, findings["splits"])
    drawn = figures.charts(tables, statistics.funnel_table(findings["funnel"]))
    write_charts(out / "figures", drawn, ())
    write_text(out / REPORT, render(documents, queries, sources, findings, drawn))


def queries_of(release: Release) -> pl.DataFrame:
    """Return `split` and `query_id` of every query of the release."""
    return pl.concat(
        concat(release.rows(split, GROUND_TRUTH), GROUND_TRUTH).select(pl.lit(split).alias("split"), "query_id")
        for split in release.splits
    )
