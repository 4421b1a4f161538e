"""Adapter of the rule find_duplicates."""

import polars as pl

from authbench.dedup.duplicates import DedupSettings, find_duplicates
from authbench.dedup.similarity import as_removed, stored_texts
from authbench.funnel import Tally
from authbench.job import log_to
from authbench.tables import read_columns, without, write_json, write_parquet

log_to(snakemake.log[0])
order = pl.DataFrame({"source": snakemake.params.order}).with_row_index("place")
documents = without(read_columns(snakemake.input.signatures), snakemake.input.filtered).join(order, on="source")
texts = stored_texts(snakemake.input.texts, documents["doc_key"])
copies, facts = find_duplicates(documents, texts, DedupSettings(**snakemake.params.dedup))
removed = as_removed(copies, f"dedup_{snakemake.wildcards.unit}", snakemake.params.dedup["threshold"])

tally = Tally(f"dedup_{snakemake.wildcards.unit}")
tally.add(documents, documents.join(removed, on="doc_key", how="anti"), removed)
tally.note("dedup", facts)
write_parquet(removed, snakemake.output.removed)
write_json(snakemake.output.counts, tally.counts())
