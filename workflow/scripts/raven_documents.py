"""Adapter of the rule raven_documents."""

from pathlib import Path

from authbench.raven.documents import write_documents
from authbench.runtime.job import log, log_to

log_to(snakemake.log[0])
log.info("%s", write_documents(snakemake.params.place, Path(snakemake.output.documents), snakemake.params.seed))
