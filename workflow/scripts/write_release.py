"""Adapter of the rule write_release."""

from pathlib import Path

import polars as pl

from authbench.build.release.contents import make_contents
from authbench.build.release.published import write_digests
from authbench.build.release.statement import add_statement
from authbench.build.release.takedown import read_takedown
from authbench.build.release.write import write_release
from authbench.config.registry.source_entry import Description
from authbench.config.registry.typed_schema import from_plain
from authbench.core.identity import author_key
from authbench.core.runtime.job import log_to
from authbench.core.storage.atomic import atomic_folder
from authbench.core.storage.json_files import read_json, write_json
from authbench.core.storage.parquet import read_columns, write_parquet
from authbench.release.format.release import read_lock

log_to(snakemake.log[0])
params = snakemake.params
contents = make_contents(
    read_columns([snakemake.input.documents]),
    params.release,
    params.split,
    params.seed,
    read_lock(params.split["lock"]) if params.split["lock"] else None,
    read_takedown(params.release["takedown"]) if params.release["takedown"] else frozenset(),
    read_columns([snakemake.input.contained]),
    read_columns([snakemake.input.possibly_one]),
)
sources = {tag: from_plain(Description, entry) for tag, entry in params.sources.items()}
facts = add_statement(read_json(snakemake.input.facts), params.statement)
with atomic_folder(snakemake.output.draft) as folder:
    findings = write_release(
        folder,
        contents,
        pl.concat(
            read_columns([path]).join(contents.documents, on="doc_key", how="semi") for path in snakemake.input.measures
        ),
        sources,
        facts,
        author_key(params.statement["config"]["ingest"]["author_key_env"]),
    )
write_digests(Path(snakemake.output.draft), Path(snakemake.output.data))
write_parquet(contents.removed, snakemake.output.taken_down)
write_json(snakemake.output.findings, findings)
