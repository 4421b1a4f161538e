"""Adapter of the rule ask_scores."""

from authbench.build.sample import stage
from authbench.core.runtime.job import log_to
from authbench.core.storage.parquet import write_parquet

log_to(snakemake.log[0])
params = snakemake.params
settings = stage.Settings(params.sample, params.authors, params.safety, params.splits, params.seed)
pool = stage.read_pool(snakemake.input, settings)
asked = stage.ask_scores(pool, stage.known_scores(snakemake.input.scored), params.safety, params.batches)
write_parquet(asked, snakemake.output.asked)
