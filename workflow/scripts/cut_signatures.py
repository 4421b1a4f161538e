"""Adapter of the rule cut_signatures."""

from authbench.build.normalize.endings import cut_signatures
from authbench.core.funnel import add_up
from authbench.core.records import RECORD
from authbench.core.runtime.job import log_to
from authbench.core.storage.json_files import read_json, write_json
from authbench.core.storage.parquet import read_batches, read_columns, write_batches

log_to(snakemake.log[0])
signatures = read_columns([snakemake.input.signatures])
numbers = {}


def without_signatures():
    global numbers
    for records in read_batches([snakemake.input.records]):
        kept, cut = cut_signatures(records, signatures, snakemake.params.edited)
        numbers = add_up(numbers, cut)
        yield kept


write_batches(snakemake.output.records, RECORD, without_signatures())
counts = read_json(snakemake.input.counts)
write_json(snakemake.output.counts, {**counts, "facts": {**counts["facts"], "signatures": numbers}})
