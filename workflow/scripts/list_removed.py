"""Adapter of the rule list_removed."""

from authbench.report.removed import write_log
from authbench.runtime.job import log_to

log_to(snakemake.log[0])
write_log(snakemake.output.log, snakemake.input.removed)
