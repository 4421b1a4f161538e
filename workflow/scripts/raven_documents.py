"""Adapter of the rule raven_documents."""

from pathlib import Path

from authbench.job import log, log_to
from authbench.raven.documents import write_documents

log_to(snakemake.log[0])
log.info("%s", write_documents(snakemake.params.place, Path(snakemake.output.documents), snakemake.params.seed))
