"""Normalize: records as the source gives them -> records whose text is canonical.

Takes   ingest/*/<shard>.parquet
Gives   normalize/<shard>.parquet (RECORD), removed/<shard>.parquet (REMOVED), counts/<shard>.json
"""

from authbench.registry.source_entry import part_of_normalize


rule normalize_text:
    """Make equal texts equal, and take personal data and boilerplate out."""
    input:
        records=expand(result("ingest/{source}/{{scatteritem}}.parquet"), source=SOURCES),
    output:
        records=result("normalize/{scatteritem}.parquet"),
        removed=result("normalize/removed/{scatteritem}.parquet"),
        counts=result("normalize/counts/{scatteritem}.json"),
    log:
        result("logs/normalize_text/{scatteritem}.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(550),
        runtime=duration(5, per_mb=0.05),
        in_series=1,
    params:
        sources={tag: part_of_normalize(source.entry) for tag, source in SETUP.sources.items()},
        normalize=SETTINGS["normalize"],
        boilerplate=data_files("text/boilerplate.yaml"),
        code=code("normalize_text"),
    script:
        "../scripts/normalize_text.py"
