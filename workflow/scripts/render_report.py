"""Adapter of the rule render_report."""

from pathlib import Path

from authbench.report.write import write_report
from authbench.runtime.job import log_to
from authbench.storage.json_files import read_json

log_to(snakemake.log[0])
release = Path(snakemake.output.sums).parent
write_report(release, snakemake.params.sources, read_json(snakemake.input.findings))
