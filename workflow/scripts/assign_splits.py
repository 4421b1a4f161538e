"""Adapter of the rule assign_splits."""

from authbench.build.labels.judge import read_impure
from authbench.build.sample.deviation import recount
from authbench.build.split.assign import Labels, split_documents
from authbench.build.split.leakage import find_leaks
from authbench.core.runtime.job import log_to
from authbench.core.storage.json_files import read_json, write_json
from authbench.core.storage.parquet import read_columns, write_parquet
from authbench.release.format.release import read_lock

log_to(snakemake.log[0])
params = snakemake.params
documents = read_columns([snakemake.input.selected])
near, minimum = params.dedup["threshold"], params.sample["min_documents_per_author"]
leaks = find_leaks(
    documents,
    params.split["leak_threshold"],
    near,
    params.dedup["shingle_chars"],
    params.split["containment"],
    backend=params.backend,
)
lock = read_lock(params.split["lock"]) if params.split["lock"] else None
outcome = split_documents(
    documents,
    leaks,
    params.split,
    minimum,
    near,
    params.seed,
    lock,
    Labels(
        read_impure(snakemake.input.labels),
        read_columns([snakemake.input.known_twice]),
        read_columns([snakemake.input.shared]),
    ),
)
del documents
write_parquet(outcome.documents, snakemake.output.documents)
write_parquet(outcome.possibly_one, snakemake.output.possibly_one)
write_parquet(leaks.contained, snakemake.output.contained)
write_parquet(outcome.removed, snakemake.output.removed)
write_json(snakemake.output.counts, outcome.counts)
write_json(snakemake.output.facts, outcome.facts)
deviation = recount(read_json(snakemake.input.deviation), outcome.documents, params.sample)
write_json(snakemake.output.deviation, deviation)
