"""Adapter of the rule find_duplicates."""

from authbench.build.dedup.jobs.decide import decide_all
from authbench.core.runtime.job import log_to

log_to(snakemake.log[0])
decide_all(
    snakemake.input.signatures,
    snakemake.input.filtered,
    (snakemake.input.pairs, snakemake.input.compared),
    (snakemake.output.removed, snakemake.output.counts),
    snakemake.wildcards.unit,
    snakemake.params.order,
    snakemake.params.dedup,
    (snakemake.input.texts, snakemake.params.unique),
)
