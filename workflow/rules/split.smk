"""Split: what must not straddle train, dev and test moves as one.

Takes   sample/selected.parquet
Gives   split/documents.parquet (DOCUMENT, `toxicity`, `split`, `unit`), contained.parquet (a, b, share),
        removed.parquet (REMOVED), counts.json, facts.json
"""


rule assign_splits:
    """Link texts that leak into each other, and assign authors to splits by hash and balance."""
    input:
        selected=result("sample/selected.parquet"),
    output:
        documents=result("split/documents.parquet"),
        contained=result("split/contained.parquet"),
        removed=result("split/removed.parquet"),
        counts=result("split/counts.json"),
        facts=result("split/facts.json"),
    log:
        result("logs/assign_splits.log"),
    benchmark:
        result("benchmarks/assign_splits.tsv")
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=60,
    params:
        split=SETTINGS["split"],
        sample=SETTINGS["sample"],
        seed=SETTINGS["seed"],
        lock=file_hash(SETTINGS["split"]["lock"]),
        code=code("assign_splits"),
    script:
        "../scripts/assign_splits.py"
