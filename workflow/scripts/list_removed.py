"""Adapter of the rule list_removed."""

from authbench.core.runtime.job import log_to
from authbench.reports.report.removed import write_log

log_to(snakemake.log[0])
write_log(snakemake.output.log, snakemake.input.removed)
