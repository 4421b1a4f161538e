"""Adapter of the rule judge_labels."""

from authbench.labels.judge import judge_labels
from authbench.registry.source_entry import Impurity
from authbench.registry.typed_schema import from_plain
from authbench.runtime.job import log_to
from authbench.storage.parquet import read_columns, write_parquet

log_to(snakemake.log[0])
params = snakemake.params
authors, statistics = judge_labels(
    [read_columns([path]) for path in snakemake.input.labels],
    [read_columns([path]) for path in snakemake.input.cells],
    {tag: from_plain(Impurity, rule) if rule else None for tag, rule in params.impurity.items()},
    params.max_impurity,
    tuple(params.mask_sizes),
)
write_parquet(authors, snakemake.output.authors)
write_parquet(statistics, snakemake.output.sources)
