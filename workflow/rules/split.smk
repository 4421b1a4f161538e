"""Split documents into train, dev and test; documents that must not cross splits move together.

Takes   sample/selected.parquet, deviation.json, labels/authors.parquet, texts.parquet, shared.parquet
Gives   split/documents.parquet (DOCUMENT, `toxicity`, `split`, `unit`, `scored`), contained.parquet (a, b, share),
        possibly_one.parquet (a, b: author ids of possibly one person, `unit`: they move together),
        removed.parquet (REMOVED), counts.json, facts.json, deviation.json (taken documents recounted)
"""


rule assign_splits:
    """Link texts that leak into each other, and assign authors to splits by hash and balance."""
    input:
        selected=result("sample/selected.parquet"),
        deviation=result("sample/deviation.json"),
        labels=result("labels/authors.parquet"),
        known_twice=result("labels/texts.parquet"),
        shared=result("labels/shared.parquet"),
        lock=here(SETTINGS["split"]["lock"]),
    output:
        documents=result("split/documents.parquet"),
        possibly_one=result("split/possibly_one.parquet"),
        contained=result("split/contained.parquet"),
        removed=result("split/removed.parquet"),
        counts=result("split/counts.json"),
        facts=result("split/facts.json"),
        deviation=result("split/deviation.json"),
    log:
        result("logs/assign_splits.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(850 + released_mb(SETTINGS["sample"]["documents"], 2.6), per_mb=0.05),
        runtime=duration(20, per_mb=0.01),
        in_series=1,
    params:
        split=SETTINGS["split"],
        dedup={key: SETTINGS["dedup"][key] for key in ("threshold", "shingle_chars")},
        sample={key: SETTINGS["sample"][key] for key in ("genres", "min_documents_per_author")},
        seed=SETTINGS["seed"],
        lock=file_hash(SETTINGS["split"]["lock"]),
        backend=SETTINGS["backend"],
        code=code("assign_splits"),
    script:
        "../scripts/assign_splits.py"
