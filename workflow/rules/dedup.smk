"""Dedup: keep one document of each group of copies, first among whole documents, then among their chunks.

Takes   normalize/<shard>.parquet (unit `documents`), chunk/<shard>.parquet less filtered chunks (unit `chunks`)
Gives   dedup/<unit>/removed.parquet (REMOVED: `detail` names the stand-in, `value` is the similarity; for a text that
        shares a field of `dedup.unique` with an earlier text, `detail` names the field and that text), counts.json
"""

from authbench.build.dedup.settings import part_count
from authbench.config.settings.dedup import Copies, Signing

TEXTS = {
    "documents": result("normalize/{scatteritem}.parquet"),
    "chunks": result("chunk/{scatteritem}.parquet"),
}
SIGNATURES = gather.shards(result("dedup/{{unit}}/signatures/{scatteritem}.parquet"))
PARTS = part_count(CORPUS_MB, SETTINGS["dedup"]["bands"])
# Chunks dropped by the filters, which precede this unit.
FILTERED = {"documents": [], "chunks": gather.shards(result("filter/{scatteritem}.parquet"))}
# Settings that define copies, and fields that texts may not share (final unit only).
COPIES = part_for(Copies, SETTINGS["dedup"])
UNIQUE = {"documents": {}, "chunks": SETTINGS["dedup"]["unique"]}
# An index of datasketch takes 1.4 kB and 31 microseconds of each text and band.
KERNELS = SETTINGS["backend"] == "kernels"
EACH_PART = {"part": range(1, PARTS + 1), "parts": PARTS, "allow_missing": True}


rule sign_texts:
    """Give every text a short signature that near copies share."""
    input:
        texts=lambda wildcards: TEXTS[wildcards.unit],
    output:
        signatures=intermediate(result("dedup/{unit}/signatures/{scatteritem}.parquet")),
    log:
        result("logs/sign_texts/{unit}-{scatteritem}.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(700),
        runtime=duration(5, per_mb=0.05),
        in_series=1,
    params:
        signature=part_for(Signing, SETTINGS["dedup"]),
        boilerplate=data_files("text/boilerplate.yaml"),
        backend=SETTINGS["backend"],
        code=code("sign_texts"),
    script:
        "../scripts/sign_texts.py"


rule link_texts:
    """Link the texts that share a bucket in one of a part's bands and are similar."""
    input:
        signatures=SIGNATURES,
        filtered=lambda wildcards: FILTERED[wildcards.unit],
    output:
        links=result("dedup/{unit}/links/{part}-of-{parts}.parquet"),
    log:
        result("logs/link_texts/{unit}-{part}-of-{parts}.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(400, per_mb=0.1 if KERNELS else 5),
        runtime=duration(5, per_mb=0.01 if KERNELS else 0.1),
        in_series=1,
    params:
        dedup=COPIES,
        order=SOURCES,
        backend=SETTINGS["backend"],
        code=code("link_texts"),
    script:
        "../scripts/link_texts.py"


rule compare_texts:
    """Verify the candidates of a part's components, in corpus order."""
    input:
        signatures=SIGNATURES,
        texts=lambda wildcards: gather.shards(TEXTS[wildcards.unit]),
        links=expand(result("dedup/{unit}/links/{part}-of-{parts}.parquet"), **EACH_PART),
    output:
        pairs=result("dedup/{unit}/pairs/{part}-of-{parts}.parquet"),
        counts=result("dedup/{unit}/pairs/{part}-of-{parts}.json"),
    log:
        result("logs/compare_texts/{unit}-{part}-of-{parts}.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(1000, per_mb=0.05),
        runtime=duration(5, per_mb=0.01),
        in_series=1,
    params:
        dedup=COPIES,
        order=SOURCES,
        boilerplate=data_files("text/boilerplate.yaml"),
        code=code("compare_texts"),
    script:
        "../scripts/compare_texts.py"


rule find_duplicates:
    """List the documents to remove: copies with their stand-ins, and texts that share a field with an earlier text."""
    input:
        signatures=SIGNATURES,
        filtered=lambda wildcards: FILTERED[wildcards.unit],
        texts=lambda wildcards: gather.shards(TEXTS[wildcards.unit]) if UNIQUE[wildcards.unit] else [],
        pairs=expand(result("dedup/{unit}/pairs/{part}-of-{parts}.parquet"), **EACH_PART),
        compared=expand(result("dedup/{unit}/pairs/{part}-of-{parts}.json"), **EACH_PART),
    output:
        removed=result("dedup/{unit}/removed.parquet"),
        counts=result("dedup/{unit}/counts.json"),
    log:
        result("logs/find_duplicates/{unit}.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(400, per_mb=0.1),
        runtime=duration(5, per_mb=0.01),
        in_series=1,
    params:
        dedup=COPIES,
        unique=lambda wildcards: UNIQUE[wildcards.unit],
        order=SOURCES,
        code=code("find_duplicates"),
    script:
        "../scripts/find_duplicates.py"
