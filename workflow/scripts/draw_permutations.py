"""Adapter of the rule draw_permutations."""

from authbench.dedup.permutations import draw_permutations, write_permutations
from authbench.runtime.job import log_to

log_to(snakemake.log[0])
write_permutations(draw_permutations(snakemake.params.number), snakemake.output.permutations)
