"""Write the figures and the report of a release, and the SHA-256 of all its files."""

from pathlib import Path

import polars as pl

from authbench.build.release import statistics
from authbench.build.release.words import Sources
from authbench.core.presentation.pages import write_charts
from authbench.core.storage.atomic import write_text
from authbench.core.storage.sha256sums import write_sums
from authbench.release.format.columns import GROUND_TRUTH
from authbench.release.format.files import REPORT
from authbench.release.format.findings import Findings
from authbench.release.format.release import Release, open_complete_release
from authbench.release.format.tables import concat
from authbench.reports.report import figures
from authbench.reports.report.page import render


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
