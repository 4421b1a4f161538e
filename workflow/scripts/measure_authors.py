"""Adapter of the rule measure_authors."""

from authbench.build.filter.activity import AUTHORS, PART, measure_authors, part_of
from authbench.core.runtime.job import log_to
from authbench.core.storage.parquet import read_columns, write_batches

log_to(snakemake.log[0])
counts = snakemake.input.counts
parts = sum(read_columns([path], ["texts"]).height for path in counts) // PART + 1
write_batches(
    snakemake.output.authors,
    AUTHORS,
    (measure_authors(part_of(read_columns([path]), part, parts) for path in counts) for part in range(parts)),
)
