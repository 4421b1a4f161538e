"""Adapter of the rule count_activity."""

from authbench.build.filter.activity import add_counts, count_activity
from authbench.core.runtime.job import log_to
from authbench.core.storage.parquet import read_batches, write_parquet

log_to(snakemake.log[0])
batches = read_batches([snakemake.input.documents], ["author_id", "date", "content", "chunk_start"])
write_parquet(add_counts(map(count_activity, batches)).sort("author_id", "kind", "key"), snakemake.output.counts)
