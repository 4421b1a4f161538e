"""Adapter of the rule ingest_source."""

import os
from pathlib import Path

from authbench.ingest.aliases import persons_file, read_aliases
from authbench.ingest.source import Naming, ingest_source
from authbench.ingest.tally import expect_some
from authbench.registry.source_entry import file_set, make_extraction
from authbench.runtime.job import log_to
from authbench.storage.json_files import write_json
from authbench.storage.raw_listing import read_listing

log_to(snakemake.log[0])
tag, params = snakemake.wildcards.source, snakemake.params
extraction = make_extraction(params.source)
key_variable = params.ingest["author_key_env"]
counts = ingest_source(
    tag,
    extraction,
    Path(params.raw_dir) / file_set(tag, extraction).folder,
    read_listing(snakemake.input.listing, params.raw),
    snakemake.output.records,
    snakemake.output.removed,
    params.ingest,
    Naming(
        os.environ[key_variable].encode() if key_variable else None,
        read_aliases(persons_file()),
        params.own_name == "mask",
    ),
)
expect_some(tag, counts)
write_json(snakemake.output.counts, counts)
