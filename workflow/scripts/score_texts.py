"""Adapter of the rule score_texts."""

import polars as pl

from authbench.build.safety import ScoreStore, make_scorers
from authbench.build.sample import stage
from authbench.core.runtime.job import log_to
from authbench.core.storage.parquet import read_columns, write_parquet

log_to(snakemake.log[0])
params = snakemake.params
scored = stage.score_documents(
    read_columns([snakemake.input.asked]).filter(pl.col("batch") == params.batch),
    stage.stored_documents(snakemake.input.documents),
    make_scorers(params.safety),
    ScoreStore(params.scores),
)
write_parquet(scored, snakemake.output.scored)
