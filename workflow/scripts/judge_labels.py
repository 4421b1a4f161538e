"""Adapter of the rule judge_labels."""

from authbench.build.labels.judge import judge_labels
from authbench.config.registry.source_entry import Impurity
from authbench.config.registry.typed_schema import from_plain
from authbench.core.runtime.job import log_to
from authbench.core.storage.parquet import read_columns, write_parquet

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
