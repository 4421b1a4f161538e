"""Adapter of the rule ingest_source."""

from pathlib import Path

from authbench.build.ingest.aliases import read_aliases
from authbench.build.ingest.mapping import Naming
from authbench.build.ingest.source import ingest_source
from authbench.build.ingest.tally import expect_some
from authbench.config.registry.source_entry import make_extraction
from authbench.core.identity import author_key
from authbench.core.runtime.inventory import shard_files
from authbench.core.runtime.job import log_to
from authbench.core.storage.json_files import write_json
from authbench.core.storage.raw_paths import take_listing

log_to(snakemake.log[0])
tag, params = snakemake.wildcards.source, snakemake.params
extraction, folder = make_extraction(params.source), Path(snakemake.input.raw)
records = Path(snakemake.output.removed).parent
counts = ingest_source(
    tag,
    extraction,
    folder,
    take_listing(folder, extraction.files, params.raw),
    [records / f"{name}.parquet" for name in shard_files(params.shards)],
    snakemake.output.removed,
    params.ingest,
    Naming(
        author_key(params.ingest["author_key_env"]),
        read_aliases(Path(snakemake.input.persons[0])),
        params.own_name == "mask",
    ),
)
expect_some(tag, counts)
write_json(snakemake.output.counts, counts)
