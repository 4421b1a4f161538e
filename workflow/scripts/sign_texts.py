"""Adapter of the rule sign_texts."""

from authbench.dedup.jobs.sign import sign_shard
from authbench.dedup.settings import DedupSettings
from authbench.runtime.job import log_to

log_to(snakemake.log[0])
settings = DedupSettings(threshold=1.0, **snakemake.params.signature)  # no signature depends on the threshold
sign_shard(snakemake.input.texts, snakemake.output.signatures, settings)
