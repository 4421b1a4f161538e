"""Adapter of the rule join_results."""

from pathlib import Path

from authbench.evaluation.joined import join
from authbench.runtime.job import log_to

log_to(snakemake.log[0])
join(Path(path).parents[1] for path in snakemake.input.scores)
