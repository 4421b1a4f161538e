"""Chunk whole documents into documents of at most 2,000 tokens, and count the tokens of each once.

Takes   normalize/<shard>.parquet less dedup/documents/removed.parquet
Gives   chunk/<shard>.parquet (DOCUMENT), counts/<shard>.json
"""


rule chunk_documents:
    """Cut long texts at paragraphs and sentences, and count the tokens of every piece."""
    input:
        records=result("normalize/{scatteritem}.parquet"),
        duplicates=result("dedup/documents/removed.parquet"),
        retag=here(SETTINGS["chunk"]["retag"]),
    output:
        documents=intermediate(result("chunk/{scatteritem}.parquet")),
        counts=result("chunk/counts/{scatteritem}.json"),
    log:
        result("logs/chunk_documents/{scatteritem}.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(700, per_mb=0.2, per_corpus_mb=0.05),
        runtime=duration(5, per_mb=0.05),
        in_series=1,
    params:
        chunk=SETTINGS["chunk"],
        final_newline=SETTINGS["normalize"]["final_newline"],
        retag=file_hash(SETTINGS["chunk"]["retag"]),
        seed=SETTINGS["seed"],
        backend=SETTINGS["backend"],
        code=code("chunk_documents"),
    script:
        "../scripts/chunk_documents.py"
