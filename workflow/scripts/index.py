"""Adapter of the rule index."""

from pathlib import Path

from authbench.core.runtime.job import log, log_to
from authbench.reports.overview.page import write_index

log_to(snakemake.log[0])
params = snakemake.params
log.warning("%s", write_index(Path(params.folder), params.name, params.options))
