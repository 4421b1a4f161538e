"""Adapter of the rule render_report."""

from authbench.registry.plain import from_plain
from authbench.registry.source_entry import Description
from authbench.release.published import open_published
from authbench.report.write import write_report
from authbench.runtime.job import log_to
from authbench.storage.json_files import read_json

log_to(snakemake.log[0])
sources = {tag: from_plain(Description, entry) for tag, entry in snakemake.params.sources.items()}
write_report(open_published(snakemake.input.data).folder, sources, read_json(snakemake.input.findings))
