"""Adapter of the rule count_labels."""

from authbench.build.labels.count import COLUMNS, count_texts
from authbench.build.labels.shared import copies_among, stand_ins
from authbench.core.runtime.job import log_to
from authbench.core.runtime.progress import progress
from authbench.core.storage.parquet import read_batches, read_columns, write_parquet

log_to(snakemake.log[0])
copies = stand_ins(read_columns([snakemake.input.duplicates], ["doc_key", "detail"]))
copies = copies_among(copies, read_columns([snakemake.input.records], ["doc_key"])["doc_key"])
batches = progress(read_batches([snakemake.input.records], COLUMNS), "count labels: batches")
labels, cells, copied = count_texts(batches, copies, snakemake.params.estimators)
write_parquet(labels, snakemake.output.labels)
write_parquet(cells, snakemake.output.cells)
write_parquet(copied, snakemake.output.copied)
