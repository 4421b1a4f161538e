"""Adapter of the rule raven_documents."""

from pathlib import Path

from authbench.raven.documents import write_documents
from authbench.runtime.job import log, log_to

log_to(snakemake.log[0])
params, documents = snakemake.params, Path(snakemake.output.documents)
log.info("%s", write_documents(params.place, documents, params.seed, built=bool(snakemake.input)))
