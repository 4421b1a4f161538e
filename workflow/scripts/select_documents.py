"""Adapter of the rule select_documents."""

from authbench.build.safety import ScoreStore, make_scorers
from authbench.build.sample import stage
from authbench.core.runtime.job import log_to
from authbench.core.storage.json_files import write_json
from authbench.core.storage.parquet import write_parquet

log_to(snakemake.log[0])
params = snakemake.params
settings = stage.Settings(params.sample, params.authors, params.safety, params.splits, params.seed)
pool = stage.read_pool(snakemake.input, settings)
outcome = stage.sample(
    pool,
    stage.stored_documents(snakemake.input.documents),
    make_scorers(params.safety),
    ScoreStore(params.scores),
    settings,
    stage.known_scores(snakemake.input.scored),
)
write_parquet(outcome.selected, snakemake.output.selected)
write_parquet(outcome.toxic, snakemake.output.toxic)
write_json(snakemake.output.counts, outcome.counts)
write_json(snakemake.output.deviation, outcome.deviation)
write_json(snakemake.output.facts, outcome.facts)
