"""Adapter of the rule fill_reservoirs."""

from authbench.build.labels.judge import read_impure
from authbench.build.sample.reservoir import POOL_COLUMNS, count_lengths, fill_reservoir
from authbench.core.runtime.job import log_to
from authbench.core.storage.parquet import read_columns, without, write_parquet

log_to(snakemake.log[0])
params = snakemake.params
documents = read_columns([snakemake.input.documents], [*POOL_COLUMNS, "char_length"]).with_row_index("row")
pool = without(documents, [snakemake.input.filtered, snakemake.input.duplicates])
impure = read_impure(snakemake.input.labels)
reservoir, authors = fill_reservoir(
    pool.drop("char_length"), params.seed, params.reservoir, params.min_origins, params.spread == "prefer", impure
)
write_parquet(reservoir, snakemake.output.reservoir)
write_parquet(authors, snakemake.output.authors)
write_parquet(count_lengths(pool), snakemake.output.lengths)
