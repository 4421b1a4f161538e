"""Adapter of the rule render_report."""

from pathlib import Path

from authbench.build.release.published import open_published, write_published_sums
from authbench.config.registry.source_entry import Description
from authbench.config.registry.typed_schema import from_plain
from authbench.core.runtime.job import log_to
from authbench.core.storage.json_files import read_json
from authbench.reports.report.write import draw_report

log_to(snakemake.log[0])
sources = {tag: from_plain(Description, entry) for tag, entry in snakemake.params.sources.items()}
release, out = open_published(snakemake.input.data, snakemake.input.draft), Path(snakemake.output.sums).parent
draw_report(release.folder, out, sources, read_json(snakemake.input.findings))
write_published_sums(out, snakemake.input.data, (snakemake.output.report, *snakemake.output.figures))
