"""Adapter of the rule compare_texts."""

from authbench.build.dedup.jobs.compare import compare_part
from authbench.core.runtime.job import log_to

log_to(snakemake.log[0])
compare_part(
    snakemake.input.signatures,
    snakemake.input.texts,
    snakemake.input.links,
    snakemake.output.pairs,
    snakemake.output.counts,
    (int(snakemake.wildcards.part) - 1, int(snakemake.wildcards.parts)),
    snakemake.params.order,
    snakemake.params.dedup,
)
