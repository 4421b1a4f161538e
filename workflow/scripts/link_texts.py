"""Adapter of the rule link_texts."""

from authbench.build.dedup.jobs.link import link_part
from authbench.core.runtime.job import log_to

log_to(snakemake.log[0])
link_part(
    snakemake.input.signatures,
    snakemake.input.filtered,
    snakemake.output.links,
    (int(snakemake.wildcards.part) - 1, int(snakemake.wildcards.parts)),
    snakemake.params.order,
    snakemake.params.dedup,
    snakemake.params.backend,
)
