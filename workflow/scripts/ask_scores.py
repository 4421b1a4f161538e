"""Adapter of the rule ask_scores."""

from authbench.runtime.job import log_to
from authbench.sample import stage
from authbench.storage.json_files import read_json
from authbench.storage.parquet import read_columns, write_parquet

log_to(snakemake.log[0])
params = snakemake.params
pool = stage.pool_of(
    (read_columns([path]) for path in snakemake.input.reservoirs),
    (read_columns([path]) for path in snakemake.input.authors),
    read_columns(snakemake.input.lengths),
    stage.Settings(params.sample, params.authors, params.safety, params.splits, params.seed),
    [read_json(path) for path in snakemake.input.counts],
)
asked = stage.ask_scores(pool, stage.known_scores(snakemake.input.scored), params.safety, params.batches)
write_parquet(asked, snakemake.output.asked)
