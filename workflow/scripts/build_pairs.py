"""Adapter of the rule build_pairs."""

from pathlib import Path

from authbench.build.release.published import open_published
from authbench.core.runtime.job import log, log_to
from authbench.suites.pan.build import write_sets

log_to(snakemake.log[0])
params, out = snakemake.params, Path(snakemake.output.pairs)
release = open_published(snakemake.input.data, snakemake.input.draft)
log.info("%s", write_sets(release, out, params.settings, params.topics, params.seed)["sets"])
