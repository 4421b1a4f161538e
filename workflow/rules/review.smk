"""Review: do people find the texts good?

Takes   split/documents.parquet, and the findings of earlier stages on each text
Gives   review/ (a sheet per language, for a browser). It holds raw ids: not for release.
        review_summary/ (verdicts.csv: shares by language, verdict and reader; agreement.csv: of each two readers)
"""

SHEET_TEMPLATES = [
    f"templates/{name}"
    for name in ("review.html.j2", "review_index.html.j2", "review.js", "review_progress.js", "shown.html.j2")
]


rule review:
    """Write the sheets, on demand."""
    input:
        result("review"),


rule write_sheets:
    """Draw texts by language, genre and length, and show their changes and the texts similar to them."""
    input:
        documents=result("split/documents.parquet"),
        measures=gather.shards(result("filter/measures/{scatteritem}.parquet")),
        copies=expand(result("dedup/{unit}/removed.parquet"), unit=["documents", "chunks"]),
        ingested=expand(result("ingest/{source}/{file}.parquet"), source=SOURCES, file=dict.fromkeys(SHARD_FILES)),
        chunks=gather.shards(result("chunk/{scatteritem}.parquet")),
    output:
        sheets=directory(result("review")),
    log:
        result("logs/write_sheets.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(900, per_mb=0.05),
        runtime=duration(20, per_mb=0.01),
        in_series=1,
    params:
        name=SETTINGS["name"],
        texts_per_cell=SETTINGS["review"]["texts_per_cell"],
        filter=SETTINGS["filter"],
        plugins=PLUGGED_FILTERS,
        shingle_chars=SETTINGS["dedup"]["shingle_chars"],
        seed=SETTINGS["seed"],
        template=data_files(*SHEET_TEMPLATES),
        code=code("write_sheets"),
    script:
        "../scripts/write_sheets.py"


rule review_summary:
    """Sum up the verdicts in review.verdicts, on demand."""
    input:
        result("review_summary/verdicts.csv"),


rule sum_up_review:
    """Count the texts that reviewers exclude, by language, and measure the agreement of each two reviewers."""
    input:
        documents=result("split/documents.parquet"),
        verdicts=here(*SETTINGS["review"]["verdicts"]),
    output:
        verdicts=result("review_summary/verdicts.csv"),
        agreement=result("review_summary/agreement.csv"),
    log:
        result("logs/sum_up_review.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(900),
        runtime=duration(10),
        in_series=1,
    params:
        verdicts=SETTINGS["review"]["verdicts"],
        contents=[file_hash(path) for path in SETTINGS["review"]["verdicts"]],
        seed=SETTINGS["seed"],
        code=code("sum_up_review"),
    script:
        "../scripts/sum_up_review.py"
