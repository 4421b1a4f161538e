"""Adapter of the rule fill_reservoirs."""

import polars as pl

from authbench.job import log_to
from authbench.records import DOCUMENT
from authbench.sample.reservoir import POOL_COLUMNS, keep_per_author, rank_documents, tally_authors
from authbench.tables import read_batches, read_columns, without, write_batches, write_parquet

log_to(snakemake.log[0])
gone = [snakemake.input.filtered, snakemake.input.duplicates]
pool = without(read_columns([snakemake.input.documents], list(POOL_COLUMNS)), gone)
ranked = keep_per_author(rank_documents(pool, snakemake.params.seed), snakemake.params.reservoir)

kept = ranked.select("doc_key", "rank")
contents = (batch.join(kept, on="doc_key") for batch in read_batches([snakemake.input.documents]))
write_batches(snakemake.output.reservoir, pl.Schema({**DOCUMENT, "rank": pl.UInt64}), contents)
write_parquet(tally_authors(pool, snakemake.params.min_origins), snakemake.output.authors)
write_parquet(pool.group_by("lang", "token_length").len("documents"), snakemake.output.lengths)
