"""Normalize the texts of records to a canonical form.

Takes   ingest/*/<shards>.parquet; sample/drawn.parquet if `sample.early_authors` is set
Gives   normalize/<shard>.parquet (RECORD), removed/<shard>.parquet (REMOVED), counts/<shard>.json;
        normalize/uncut/ (the same before signatures are cut), endings/<shard>.parquet (ENDINGS),
        signatures.parquet (SIGNATURES) if `normalize.signatures` is `cut`
"""

from authbench.config.registry.source_entry import part_of_normalize

EDITED = [tag for tag, source in SETUP.sources.items() if source.text == "edited"]
# The folders of texts with and without signatures; later stages read normalize/.
WITH, WITHOUT = (
    ("normalize/uncut", "normalize") if SETTINGS["normalize"]["signatures"] == "cut" else ("normalize", "normalize/cut")
)


rule normalize_text:
    """Give equal texts equal characters, and remove personal data and boilerplate."""
    input:
        records=records_of_shard,
        drawn=result("sample/drawn.parquet") if SETTINGS["sample"]["early_authors"] else [],
    output:
        records=intermediate(result(f"{WITH}/{{scatteritem}}.parquet")),
        removed=result("normalize/removed/{scatteritem}.parquet"),
        counts=result(f"{WITH}/counts/{{scatteritem}}.json"),
    log:
        result("logs/normalize_text/{scatteritem}.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(550),
        runtime=duration(5, per_mb=0.05),
        in_series=1,
    params:
        shard=shard_number,
        sources={tag: part_of_normalize(source.entry) for tag, source in SETUP.sources.items()},
        normalize={key: SETTINGS["normalize"][key] for key in ("mask", "quotes", "white_space", "edition_marks")},
        boilerplate=data_files("text/boilerplate.yaml"),
        code=code("normalize_text"),
    script:
        "../scripts/normalize_text.py"


rule count_endings:
    """Count how each author's texts end."""
    input:
        records=result(f"{WITH}/{{scatteritem}}.parquet"),
    output:
        endings=result("normalize/endings/{scatteritem}.parquet"),
    log:
        result("logs/count_endings/{scatteritem}.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(750),
        runtime=duration(5, per_mb=0.05),
        in_series=1,
    params:
        edited=EDITED,
        code=code("count_endings"),
    script:
        "../scripts/count_endings.py"


rule find_signatures:
    """Find the endings with which authors sign, over all texts."""
    input:
        endings=gather.shards(result("normalize/endings/{scatteritem}.parquet")),
    output:
        signatures=result("normalize/signatures.parquet"),
    log:
        result("logs/find_signatures.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(1900, per_mb=0.05),
        runtime=duration(10, per_mb=0.005),
        in_series=1,
    params:
        code=code("find_signatures"),
    script:
        "../scripts/find_signatures.py"


rule cut_signatures:
    """Cut the signatures from the texts."""
    input:
        records=result(f"{WITH}/{{scatteritem}}.parquet"),
        counts=result(f"{WITH}/counts/{{scatteritem}}.json"),
        signatures=result("normalize/signatures.parquet"),
    output:
        records=intermediate(result(f"{WITHOUT}/{{scatteritem}}.parquet")),
        counts=result(f"{WITHOUT}/counts/{{scatteritem}}.json"),
    log:
        result("logs/cut_signatures/{scatteritem}.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(675),
        runtime=duration(5, per_mb=0.05),
        in_series=1,
    params:
        edited=EDITED,
        code=code("cut_signatures"),
    script:
        "../scripts/cut_signatures.py"
