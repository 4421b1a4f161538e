"""Dedup: which document stands for its copies? Once for whole documents, once for the chunks cut from them.

Takes   normalize/<shard>.parquet (unit `documents`), chunk/<shard>.parquet less what the filters drop (unit `chunks`)
Gives   dedup/<unit>/removed.parquet (REMOVED: `detail` names the stand-in, `value` is the similarity), counts.json
"""

TEXTS = {
    "documents": result("normalize/{scatteritem}.parquet"),
    "chunks": result("chunk/{scatteritem}.parquet"),
}


rule sign_texts:
    """Give every text a short signature that near copies share."""
    input:
        texts=lambda wildcards: TEXTS[wildcards.unit],
    output:
        signatures=result("dedup/{unit}/signatures/{scatteritem}.parquet"),
    log:
        result("logs/sign_texts/{unit}-{scatteritem}.log"),
    benchmark:
        result("benchmarks/sign_texts/{unit}-{scatteritem}.tsv")
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * attempt,
        runtime=60,
    params:
        signature={key: SETTINGS["dedup"][key] for key in ("shingle_chars", "bands", "rows")},
        boilerplate=text_resource("boilerplate.yaml"),
        code=code("sign_texts"),
    script:
        "../scripts/sign_texts.py"


rule find_duplicates:
    """Verify candidate pairs, and keep the first of every group of copies in corpus order."""
    input:
        signatures=gather.shards(result("dedup/{{unit}}/signatures/{scatteritem}.parquet")),
        texts=lambda wildcards: gather.shards(TEXTS[wildcards.unit]),
        filtered=lambda wildcards: (
            gather.shards(result("filter/{scatteritem}.parquet")) if wildcards.unit == "chunks" else []
        ),
    output:
        removed=result("dedup/{unit}/removed.parquet"),
        counts=result("dedup/{unit}/counts.json"),
    log:
        result("logs/find_duplicates/{unit}.log"),
    benchmark:
        result("benchmarks/find_duplicates/{unit}.tsv")
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=120,
    params:
        dedup=SETTINGS["dedup"],
        order=SOURCES,
        boilerplate=text_resource("boilerplate.yaml"),
        code=code("find_duplicates"),
    script:
        "../scripts/find_duplicates.py"
