"""Adapter of the rule list_removed."""

from authbench.funnel import write_log
from authbench.job import log_to

log_to(snakemake.log[0])
write_log(snakemake.output.log, snakemake.input.removed)
