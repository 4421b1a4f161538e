"""Adapter of the rule measure_authors."""

from authbench.filter.activity import count_activity, measure_authors
from authbench.job import log_to
from authbench.tables import read_batches, write_parquet

log_to(snakemake.log[0])
batches = read_batches(snakemake.input.documents, ["author_id", "date", "content", "chunk_start"])
write_parquet(measure_authors([count_activity(batch) for batch in batches]), snakemake.output.authors)
