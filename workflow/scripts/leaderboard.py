"""Adapter of the rule leaderboard."""

from pathlib import Path

from authbench.core.runtime.job import log_to
from authbench.reports.leaderboard.hub import dataset_of
from authbench.reports.leaderboard.write import Edition, write_leaderboard

log_to(snakemake.log[0])
folders, out = [Path(path).parent for path in snakemake.input.scores], Path(snakemake.output.folder)
people = Path(snakemake.input.people[0]) if snakemake.input.people else None
params = snakemake.params
edition = Edition(params.version, dataset_of(params.url))
write_leaderboard(folders, out, back=params.back, people=people, edition=edition)
