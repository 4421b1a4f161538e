"""Adapter of the rule select_documents."""

from authbench.runtime.job import log_to
from authbench.safety import ScoreStore, make_scorers
from authbench.sample import stage
from authbench.storage.json_files import read_json, write_json
from authbench.storage.parquet import read_columns, write_parquet

log_to(snakemake.log[0])
params = snakemake.params
outcome = stage.sample(
    (read_columns([path]) for path in snakemake.input.reservoirs),
    (read_columns([path]) for path in snakemake.input.authors),
    read_columns(snakemake.input.lengths),
    stage.stored_documents(snakemake.input.documents),
    make_scorers(params.safety),
    ScoreStore(params.scores),
    stage.Settings(params.sample, params.authors, params.safety, params.splits, params.seed),
    map(read_json, snakemake.input.counts),
)
write_parquet(outcome.selected, snakemake.output.selected)
write_parquet(outcome.toxic, snakemake.output.toxic)
write_json(snakemake.output.counts, outcome.counts)
write_json(snakemake.output.deviation, outcome.deviation)
write_json(snakemake.output.facts, outcome.facts)
