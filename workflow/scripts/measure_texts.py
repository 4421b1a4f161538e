"""Adapter of the rule measure_texts."""

import polars as pl

from authbench.build.filter.measure import MEASURES, measure_texts
from authbench.config.plugins import load_filter, measured, plugin_key
from authbench.core.runtime.job import log_to
from authbench.core.runtime.progress import progress
from authbench.core.storage.parquet import read_batches, write_batches

log_to(snakemake.log[0])
batches = progress(read_batches([snakemake.input.documents], ["doc_key", "lang", "content"]), "measure: batches")
filters = [load_filter(name) for name in snakemake.params.plugins]
schema = pl.Schema({**MEASURES, **{plugin_key(name): pl.Float64 for name in snakemake.params.plugins}})
rows = (
    measure_texts(batch, snakemake.params.languages, snakemake.params.backend).with_columns(
        measured(plugin, one, batch["content"], batch["lang"]) for plugin, one in filters
    )
    for batch in batches
)
write_batches(snakemake.output.measures, schema, rows)
