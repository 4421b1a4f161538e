"""Adapter of the rule raven_topics."""

from pathlib import Path

from authbench.core.runtime.job import log_to
from authbench.models.model import VectorCache
from authbench.suites.raven.encoders import TopicEncoder
from authbench.suites.raven.vectors import write_topics

log_to(snakemake.log[0])
params = snakemake.params
documents, topics = Path(snakemake.input.documents), Path(snakemake.output.topics)
encoder, limits = TopicEncoder.from_dict(params.encoder), params.limits
cache = VectorCache(Path(params.embeddings), params.half)
write_topics(documents, encoder, limits, params.seed, topics, cache)
