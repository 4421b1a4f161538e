"""Labels: are the texts of one label by one person?

Takes   normalize/<shard>.parquet less dedup/documents/removed.parquet, dedup/chunks/removed.parquet
Gives   labels/authors.parquet (source, author_id, decision: clean, impure or unmeasured), sources.parquet (the
        measurements of each source), texts.parquet (doc_key of texts known under two labels, without their chunks),
        shared.parquet (a, b: author_ids of one source that share three texts)
"""

IMPURITY = {tag: source.entry["author"].get("impurity", {}) for tag, source in SETUP.sources.items()}
# The most texts of a mask that sampling accepts.
MASK_SIZES = [
    SETTINGS["sample"]["fallback_documents_per_author"] or SETTINGS["sample"]["min_documents_per_author"],
    SETTINGS["authors"]["masked_max_documents"],
]


rule count_labels:
    """Count a shard's texts by label, and by item and day or by account if a source compares them."""
    input:
        records=result("normalize/{scatteritem}.parquet"),
        duplicates=result("dedup/documents/removed.parquet"),
    output:
        labels=result("labels/counts/{scatteritem}.parquet"),
        cells=result("labels/cells/{scatteritem}.parquet"),
        copied=result("labels/copied/{scatteritem}.parquet"),
    log:
        result("logs/count_labels/{scatteritem}.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(400, per_mb=0.3, per_corpus_mb=0.05),
        runtime=duration(5, per_mb=0.02),
        in_series=1,
    params:
        estimators={tag: rule.get("estimator") for tag, rule in IMPURITY.items()},
        code=code("count_labels"),
    script:
        "../scripts/count_labels.py"


rule judge_labels:
    """Measure how often two texts of a label are by two people, and decide which labels may be scored."""
    input:
        labels=gather.shards(result("labels/counts/{scatteritem}.parquet")),
        cells=gather.shards(result("labels/cells/{scatteritem}.parquet")),
    output:
        authors=result("labels/authors.parquet"),
        sources=result("labels/sources.parquet"),
    log:
        result("logs/judge_labels.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(400, per_mb=0.3),
        runtime=duration(5, per_mb=0.01),
        in_series=1,
    params:
        impurity=IMPURITY,
        max_impurity=SETTINGS["authors"]["max_impurity"],
        mask_sizes=MASK_SIZES,
        code=code("judge_labels"),
    script:
        "../scripts/judge_labels.py"


rule find_shared_texts:
    """Find the texts known under two labels, and the labels that share several."""
    input:
        documents=result("dedup/documents/removed.parquet"),
        chunks=result("dedup/chunks/removed.parquet"),
        copied=gather.shards(result("labels/copied/{scatteritem}.parquet")),
        signatures=gather.shards(result("dedup/chunks/signatures/{scatteritem}.parquet")),
    output:
        texts=result("labels/texts.parquet"),
        shared=result("labels/shared.parquet"),
    log:
        result("logs/find_shared_texts.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(400, per_mb=0.2),
        runtime=duration(5, per_mb=0.01),
        in_series=1,
    params:
        code=code("find_shared_texts"),
    script:
        "../scripts/find_shared_texts.py"
