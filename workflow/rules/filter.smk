"""Filter: measurements are made once and thresholds applied to them, so that a threshold is cheap to change.

Takes   chunk/<shard>.parquet
Gives   filter/measures/<shard>.parquet (MEASURES), filter/authors.parquet, filter/<shard>.parquet (REMOVED), counts/<shard>.json
"""


rule measure_texts:
    """Measure repetition, symbols, scripts and language of every text."""
    input:
        documents=result("chunk/{scatteritem}.parquet"),
    output:
        measures=result("filter/measures/{scatteritem}.parquet"),
    log:
        result("logs/measure_texts/{scatteritem}.log"),
    benchmark:
        result("benchmarks/measure_texts/{scatteritem}.tsv")
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * attempt,
        runtime=60,
    params:
        languages=list(SETTINGS["sample"]["languages"]),
        code=code("measure_texts"),
    script:
        "../scripts/measure_texts.py"


rule measure_authors:
    """Measure how busy and how uniform each author is, over all texts."""
    input:
        documents=gather.shards(result("chunk/{scatteritem}.parquet")),
    output:
        authors=result("filter/authors.parquet"),
    log:
        result("logs/measure_authors.log"),
    benchmark:
        result("benchmarks/measure_authors.tsv")
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * attempt,
        runtime=60,
    params:
        code=code("measure_authors"),
    script:
        "../scripts/measure_authors.py"


rule apply_filters:
    """Decide, by the measurements, which texts go and why."""
    input:
        documents=result("chunk/{scatteritem}.parquet"),
        measures=result("filter/measures/{scatteritem}.parquet"),
        authors=result("filter/authors.parquet"),
    output:
        removed=result("filter/{scatteritem}.parquet"),
        counts=result("filter/counts/{scatteritem}.json"),
    log:
        result("logs/apply_filters/{scatteritem}.log"),
    benchmark:
        result("benchmarks/apply_filters/{scatteritem}.tsv")
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: 500 * attempt,
        runtime=20,
    params:
        filter=SETTINGS["filter"],
        code=code("apply_filters"),
    script:
        "../scripts/apply_filters.py"
