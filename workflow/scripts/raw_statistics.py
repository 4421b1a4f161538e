"""Adapter of the rule raw_statistics."""

from pathlib import Path

from authbench.job import log_to
from authbench.raw.count import add_up
from authbench.raw.page import render
from authbench.raw.tables import tables
from authbench.tables import read_columns, read_json
from authbench.whole import write_text

log_to(snakemake.log[0])
given = snakemake.input
found = tables(
    add_up(read_columns([path]) for path in given.texts),
    add_up(read_columns([path]) for path in given.authors),
    [read_json(path) for path in given.counts],
)
for path in snakemake.output.tables:
    write_text(path, found[Path(path).stem].write_csv())
write_text(snakemake.output.page, render(snakemake.params.name, found))
