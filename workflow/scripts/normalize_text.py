"""Adapter of the rule normalize_text."""

from authbench.build.normalize.table import normalize_records
from authbench.build.sample.early import undrawn
from authbench.config.registry.source_entry import make_normalize
from authbench.core.funnel import Tally
from authbench.core.records import RECORD, REMOVED
from authbench.core.runtime.job import log_to
from authbench.core.runtime.progress import progress
from authbench.core.storage.json_files import write_json
from authbench.core.storage.parquet import read_between, read_columns, write_parquets

log_to(snakemake.log[0])
tally = Tally("normalize")
drawn = read_columns([snakemake.input.drawn]) if snakemake.input.drawn else None
rules = {tag: make_normalize(part) for tag, part in snakemake.params.sources.items()}


def normalized():
    shard = snakemake.params.shard
    for records in progress(read_between(snakemake.input.records, "shard", shard, shard), "normalize: batches"):
        if drawn is not None:
            left_out = undrawn(records, drawn)
            tally.drop(records.filter(left_out), "not_drawn")
            records = records.filter(~left_out)
        kept, removed, masked, repeated = normalize_records(records, rules, snakemake.params.normalize)
        tally.add(records, kept, removed)
        tally.note("masked", masked)
        tally.note("repeated_whole", repeated)
        yield {"records": kept, "removed": removed}


write_parquets(
    {"records": (snakemake.output.records, RECORD), "removed": (snakemake.output.removed, REMOVED)}, normalized()
)
write_json(snakemake.output.counts, tally.counts())
