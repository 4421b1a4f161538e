"""Adapter of the rule raven_subsets."""

from pathlib import Path

from authbench.raven.checks import load_verifiers
from authbench.raven.duration import expected
from authbench.raven.layout import write_subsets
from authbench.raven.settings import RavenSettings, SubsetSettings, TopicLimits
from authbench.raven.subsets import job_count
from authbench.runtime.job import log, log_to

log_to(snakemake.log[0])
params = snakemake.params
topics = {name: Path(path) for name, path in zip(params.encoders, snakemake.input.topics, strict=True)}
settings, limits = SubsetSettings(**params.subsets), TopicLimits(**params.limits)
metadata, pairs = Path(snakemake.output.facts), Path(snakemake.output.pairs[0]).parent
characters = write_subsets(Path(snakemake.input.documents), topics, settings, limits, params.seed, metadata, pairs)
raven = RavenSettings.from_section(snakemake.config["raven"])
log.warning("%s", expected(load_verifiers(raven), characters, job_count(raven)))
