"""Adapter of the rule leaderboard."""

from pathlib import Path

from authbench.job import log_to
from authbench.leaderboard.write import write_leaderboard

log_to(snakemake.log[0])
write_leaderboard([Path(path).parent for path in snakemake.input.scores], Path(snakemake.output.page).parent)
