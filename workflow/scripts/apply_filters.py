"""Adapter of the rule apply_filters."""

import polars as pl

from authbench.build.filter.decide import apply_filters, beside, dropped_by_language
from authbench.build.filter.exclusions import excluded, read_exclusions
from authbench.core.funnel import Tally
from authbench.core.runtime.job import log_to
from authbench.core.storage.json_files import write_json
from authbench.core.storage.parquet import read_columns, write_parquet

log_to(snakemake.log[0])
columns = ["source", "doc_key", "author_id", "lang", "genre", "task", "token_length"]
documents = read_columns([snakemake.input.documents], columns)
measured = beside(documents, read_columns([snakemake.input.measures]))
if snakemake.input.authors:
    authors = read_columns([snakemake.input.authors])
    measured = measured.join(authors, on="author_id", how="left", maintain_order="left")
removed = apply_filters(measured, snakemake.params.filter)
if snakemake.params.filter["exclude"]:
    by_hand = excluded(documents, read_exclusions(snakemake.params.filter["exclude"]))
    removed = pl.concat([by_hand, removed])

tally = Tally("filter")
tally.add(documents, documents.join(removed, on="doc_key", how="anti"), removed)
tally.note("dropped_by_language", dropped_by_language(documents, removed))
if snakemake.params.filter["exclude"]:
    tally.note("ruled_out", dict.fromkeys(by_hand["doc_key"], 1))
write_parquet(removed, snakemake.output.removed)
write_json(snakemake.output.counts, tally.counts())
