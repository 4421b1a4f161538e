"""Adapter of the rule count_raw."""

from authbench.raw.count import COLUMNS, count_records
from authbench.runtime.job import log_to, progress
from authbench.storage.parquet import read_batches, write_parquet

log_to(snakemake.log[0])
batches = read_batches(snakemake.input.records, COLUMNS)
texts, authors = count_records(progress(batches, "raw: batches of records"))
write_parquet(texts, snakemake.output.texts)
write_parquet(authors, snakemake.output.authors)
