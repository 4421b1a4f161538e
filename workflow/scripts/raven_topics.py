"""Adapter of the rule raven_topics."""

from pathlib import Path

from authbench.models.registry import MODELS
from authbench.raven.run import write_topics
from authbench.runtime.job import log_to

log_to(snakemake.log[0])
params = snakemake.params
documents, topics = Path(snakemake.input.documents), Path(snakemake.output.topics)
write_topics(documents, params.encoder, MODELS, params.raven, params.seed, topics)
