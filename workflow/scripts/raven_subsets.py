"""Adapter of the rule raven_subsets."""

from pathlib import Path

from authbench.raven.run import write_subsets
from authbench.runtime.job import log_to

log_to(snakemake.log[0])
params = snakemake.params
topics = {encoder: Path(path) for encoder, path in zip(params.encoders.values(), snakemake.input.topics, strict=True)}
facts, pairs = Path(snakemake.output.facts), Path(snakemake.output.pairs[0]).parent
write_subsets(Path(snakemake.input.documents), topics, params.raven, params.seed, facts, pairs)
