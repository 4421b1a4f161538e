"""Adapter of the rule measure_texts."""

from authbench.filter.measure import MEASURES, measure_texts
from authbench.runtime.job import log_to, progress
from authbench.storage.parquet import read_batches, write_batches

log_to(snakemake.log[0])
batches = progress(read_batches([snakemake.input.documents], ["doc_key", "lang", "content"]), "measure: batches")
write_batches(
    snakemake.output.measures, MEASURES, (measure_texts(batch, snakemake.params.languages) for batch in batches)
)
