"""Adapter of the rule count_endings."""

import polars as pl

from authbench.build.normalize.endings import ENDINGS, by_author, count_endings
from authbench.core.runtime.job import log_to
from authbench.core.storage.parquet import read_batches, write_batches

log_to(snakemake.log[0])
batches = read_batches(
    [snakemake.input.records], ["source", "author_id", "author_kind", "origin_id", "lang", "content"]
)
typed = (batch.filter(~pl.col("source").is_in(snakemake.params.edited)) for batch in batches)
write_batches(snakemake.output.endings, ENDINGS, by_author(map(count_endings, typed)))
