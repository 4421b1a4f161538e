"""Adapter of the rule find_signatures."""

from authbench.build.normalize.endings import find_signatures
from authbench.core.runtime.job import log_to
from authbench.core.storage.parquet import count_rows, ranges_of, write_parquet

log_to(snakemake.log[0])
paths = snakemake.input.endings
write_parquet(find_signatures(ranges_of(paths, "author"), sum(map(count_rows, paths))), snakemake.output.signatures)
