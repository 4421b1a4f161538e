"""Adapter of the rule find_signatures."""

from functools import partial

from authbench.build.normalize.endings import find_signatures
from authbench.core.runtime.job import log_to
from authbench.core.storage.parquet import count_rows, read_between, write_parquet

log_to(snakemake.log[0])
paths = snakemake.input.endings
counts = partial(read_between, paths, "author")
write_parquet(find_signatures(counts, sum(map(count_rows, paths))), snakemake.output.signatures)
