"""Adapter of the rule raven_documents."""

from pathlib import Path

from authbench.core.runtime.job import log, log_to
from authbench.suites.raven.documents import write_documents

log_to(snakemake.log[0])
params, documents = snakemake.params, Path(snakemake.output.documents)
log.info("%s", write_documents(params.place, documents, params.seed, built=bool(snakemake.input)))
