"""Adapter of the rule find_shared_texts."""

import polars as pl

from authbench.build.labels.shared import labels_that_share_texts, read_texts, stand_ins, texts_of_two_labels
from authbench.core.runtime.job import log_to
from authbench.core.storage.parquet import read_columns, write_parquet

log_to(snakemake.log[0])
documents, chunks = (
    stand_ins(read_columns([snakemake.input[unit]], ["doc_key", "detail"])) for unit in ("documents", "chunks")
)
texts = read_texts(snakemake.input.copied, documents, ["doc_key", "source", "author_id", "letters"])
pieces = read_texts(snakemake.input.signatures, chunks, ["doc_key", "author_id"])
known = pl.concat([texts_of_two_labels(documents, texts), texts_of_two_labels(chunks, pieces)])
write_parquet(known.unique().sort("doc_key"), snakemake.output.texts)
write_parquet(labels_that_share_texts(documents, texts), snakemake.output.shared)
