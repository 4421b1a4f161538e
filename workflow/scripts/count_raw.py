"""Adapter of the rule count_raw."""

from authbench.core.runtime.job import log_to
from authbench.core.runtime.progress import progress
from authbench.core.storage.parquet import read_between, write_parquet
from authbench.reports.raw.count import COLUMNS, count_records

log_to(snakemake.log[0])
shard = snakemake.params.shard
batches = read_between(snakemake.input.records, "shard", shard, shard, COLUMNS)
texts, authors = count_records(progress(batches, "raw: batches of records"), snakemake.params.backend)
write_parquet(texts, snakemake.output.texts)
write_parquet(authors, snakemake.output.authors)
