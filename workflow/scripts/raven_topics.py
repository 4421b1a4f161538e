"""Adapter of the rule raven_topics."""

from pathlib import Path

from authbench.job import log_to
from authbench.models.registry import MODELS
from authbench.raven.run import write_topics

log_to(snakemake.log[0])
params = snakemake.params
documents, topics = Path(snakemake.input.documents), Path(snakemake.output.topics)
write_topics(documents, params.encoder, MODELS, params.raven, params.seed, topics)
