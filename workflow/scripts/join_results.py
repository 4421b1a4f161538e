"""Adapter of the rule join_results."""

from pathlib import Path

from authbench.core.runtime.job import log_to
from authbench.scoring.evaluation.joined import join

log_to(snakemake.log[0])
join(Path(path).parents[1] for path in snakemake.input.scores)
