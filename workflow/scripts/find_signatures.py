"""Adapter of the rule find_signatures."""

from authbench.normalize.endings import find_signatures
from authbench.runtime.job import log_to
from authbench.storage.parquet import count_rows, read_batches, write_parquet

log_to(snakemake.log[0])
paths = snakemake.input.endings
write_parquet(find_signatures(lambda: read_batches(paths), sum(map(count_rows, paths))), snakemake.output.signatures)
