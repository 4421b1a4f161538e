"""Adapter of the rule raw_statistics."""

from pathlib import Path

from authbench.raw.count import add_up
from authbench.raw.page import render, tables
from authbench.runtime.job import log_to
from authbench.storage.atomic import write_text
from authbench.storage.json_files import read_json
from authbench.storage.parquet import read_columns

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
