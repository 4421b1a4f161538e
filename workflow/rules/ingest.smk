"""Ingest the raw files of a source into records, by shard.

Takes   raw_dir/<source>/ and config/sources/<source>.yaml
Gives   ingest/<source>/<shards>.parquet (INGESTED; up to 32 shards in a file), removed.parquet (REMOVED), counts.json
"""

from authbench.build.ingest.aliases import persons_file
from authbench.config.registry.readers import plugins_of
from authbench.config.registry.source_entry import Extraction

# Plug-ins that read raw files.
READERS = plugins_of(*(source.entry["reader"] for source in SETUP.sources.values()))


rule ingest_source:
    """Turn the files of one corpus into records, and account for every row."""
    input:
        raw=lambda wildcards: local(ancient(str(Path(SETTINGS["raw_dir"], FILES[wildcards.source].folder)))),
        persons=here(persons_file()),
    output:
        records=intermediate(expand(result("ingest/{{source}}/{file}.parquet"), file=dict.fromkeys(SHARD_FILES))),
        removed=result("ingest/{source}/removed.parquet"),
        counts=result("ingest/{source}/counts.json"),
    log:
        result("logs/ingest_source/{source}.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(900, per_mb=0.02),
        runtime=duration(10, per_mb=0.02),
        in_series=1,
    params:
        reader=lambda wildcards: identities("readers", plugins_of(SETUP.sources[wildcards.source].entry["reader"])),
        source=lambda wildcards: part_for(Extraction, SETUP.sources[wildcards.source].entry),
        raw=lambda wildcards: SETUP.raw.inputs[wildcards.source]["sha256"],
        ingest=SETTINGS["ingest"],
        shards=SHARDS,
        own_name=SETTINGS["normalize"]["own_name"],
        persons=file_hash(persons_file()),
        key=key_mark(author_key(SETTINGS["ingest"]["author_key_env"])),
        code=code("ingest_source"),
    script:
        "../scripts/ingest_source.py"
