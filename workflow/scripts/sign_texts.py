"""Adapter of the rule sign_texts."""

from authbench.build.dedup.jobs.sign import sign_shard
from authbench.core.runtime.job import log_to

log_to(snakemake.log[0])
sign_shard(snakemake.input.texts, snakemake.output.signatures, snakemake.params.signature, snakemake.params.backend)
