"""Adapter of the rule build_pairs."""

from pathlib import Path

from authbench.pan.build import write_sets
from authbench.pan.settings import PairSettings
from authbench.runtime.job import log, log_to

log_to(snakemake.log[0])
params, out = snakemake.params, Path(snakemake.output.facts).parent
release = Path(snakemake.params.release)
log.info("%s", write_sets(release, out, PairSettings(**params.settings), params.topics, params.seed)["sets"])
