"""Adapter of the rule raven_subsets."""

from pathlib import Path

from authbench.core.runtime.job import log_to
from authbench.suites.raven.layout import write_subsets

log_to(snakemake.log[0])
params = snakemake.params
topics = {name: Path(path) for name, path in zip(params.encoders, snakemake.input.topics, strict=True)}
metadata, pairs = Path(snakemake.output.facts), Path(snakemake.output.pairs[0]).parent
write_subsets(Path(snakemake.input.documents), topics, params.subsets, params.limits, params.seed, metadata, pairs)
