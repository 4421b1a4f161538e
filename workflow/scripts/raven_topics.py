"""Adapter of the rule raven_topics."""

from pathlib import Path

from authbench.raven.encoders import TopicEncoder
from authbench.raven.settings import TopicLimits
from authbench.raven.topics import write_topics
from authbench.runtime.job import log_to

log_to(snakemake.log[0])
params = snakemake.params
documents, topics = Path(snakemake.input.documents), Path(snakemake.output.topics)
write_topics(documents, TopicEncoder.from_dict(params.encoder), TopicLimits(**params.limits), params.seed, topics)
