"""Adapter of the rule count_survivors."""

from authbench.build.filter.exclusions import read_exclusions
from authbench.core.runtime.job import log_to
from authbench.core.storage.json_files import read_json, write_json
from authbench.core.storage.parquet import read_columns
from authbench.reports.report.facts import collect

log_to(snakemake.log[0])
counts = [read_json(path) for path in snakemake.input.counts]
sampled, deviation, split = (read_json(snakemake.input[name]) for name in ("sampled", "deviation", "split"))
path = snakemake.params.exclude
excluded = read_exclusions(path)["doc_key"] if path else None
labels = read_columns([snakemake.input.labels]).to_dicts()
write_json(snakemake.output.facts, collect(counts, sampled, deviation, split, excluded, labels))
