"""Report: what happened to every document?

Takes   every stage's counts and removed documents
Gives   report/facts.json (for the manifest and report.html), dirty_docs.log
"""


rule count_survivors:
    """Join the counts of all stages, and stop the run if a stage does not take in what the previous one kept."""
    input:
        counts=[
            *COUNTS_BEFORE_SAMPLING,
            result("sample/counts.json"),
            result("split/counts.json"),
        ],
        sampled=result("sample/facts.json"),
        deviation=result("split/deviation.json"),
        split=result("split/facts.json"),
        labels=result("labels/sources.parquet"),
        exclude=here(SETTINGS["filter"]["exclude"]),
    output:
        facts=result("report/facts.json"),
    log:
        result("logs/count_survivors.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(300),
        runtime=duration(5),
        in_series=1,
    params:
        exclude=SETTINGS["filter"]["exclude"],
        excluded=file_hash(SETTINGS["filter"]["exclude"]),
        code=code("count_survivors"),
    script:
        "../scripts/count_survivors.py"


rule list_removed:
    """List every removed document with stage, reason, value and threshold. It holds raw ids: not for release."""
    input:
        removed=[
            *expand(result("ingest/{source}/removed.parquet"), source=SOURCES),
            *gather.shards(result("normalize/removed/{scatteritem}.parquet")),
            result("dedup/documents/removed.parquet"),
            *gather.shards(result("filter/{scatteritem}.parquet")),
            result("dedup/chunks/removed.parquet"),
            result("sample/toxic.parquet"),
            result("split/removed.parquet"),
            result("report/taken_down.parquet"),
        ],
    output:
        log=result("dirty_docs.log"),
    log:
        result("logs/list_removed.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(300, per_mb=0.1),
        runtime=duration(10, per_mb=0.005),
        in_series=1,
    params:
        code=code("list_removed"),
    script:
        "../scripts/list_removed.py"
