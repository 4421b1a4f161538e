"""Adapter of the rule raw_statistics."""

from pathlib import Path

from authbench.core.runtime.job import log_to
from authbench.core.storage.atomic import write_text
from authbench.core.storage.json_files import read_json
from authbench.core.storage.parquet import read_columns
from authbench.reports.raw.count import add_up
from authbench.reports.raw.page import render, tables

log_to(snakemake.log[0])
given = snakemake.input
found = tables(
    add_up(read_columns([path]) for path in given.texts),
    add_up(read_columns([path]) for path in given.authors),
    [read_json(path) for path in given.counts],
)
for path in snakemake.output.tables:
    write_text(path, found[Path(path).stem].write_csv())
write_text(snakemake.output.page, render(snakemake.params.name, found, snakemake.params.back))
