"""Adapter of the rule draw_authors."""

from authbench.build.sample.early import RECORD_COLUMNS, draw_authors
from authbench.core.runtime.job import log_to
from authbench.core.runtime.progress import progress
from authbench.core.storage.parquet import read_batches, write_parquet

log_to(snakemake.log[0])
records = progress(read_batches(snakemake.input.records, RECORD_COLUMNS), "draw authors: batches")
write_parquet(draw_authors(records, snakemake.params.most, snakemake.params.seed), snakemake.output.authors)
