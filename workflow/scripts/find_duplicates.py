"""Adapter of the rule find_duplicates."""

from authbench.build.dedup.jobs.decide import Compared, Decisions, Unique, decide_all
from authbench.core.runtime.job import log_to

log_to(snakemake.log[0])
decide_all(
    snakemake.input.signatures,
    snakemake.input.filtered,
    Compared(snakemake.input.pairs, snakemake.input.compared),
    Decisions(snakemake.output.removed, snakemake.output.counts),
    snakemake.wildcards.unit,
    snakemake.params.order,
    snakemake.params.dedup,
    Unique(snakemake.input.texts, snakemake.params.unique),
)
