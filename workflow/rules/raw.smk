"""Raw: what do the corpora contain before filtering? On demand: `snakemake raw_statistics`.

Takes   ingest/*/<shards>.parquet, ingest/*/counts.json
Gives   raw/ (index.html and its tables)
"""

RAW_TABLES = ["sources", "left_out", "languages", "genres", "lengths", "token_lengths", "documents_per_author"]


rule count_raw:
    """Count the tokens of every record, and the records of authors, languages and genres."""
    input:
        records=records_of_shard,
    output:
        texts=result("raw/texts/{scatteritem}.parquet"),
        authors=result("raw/authors/{scatteritem}.parquet"),
    log:
        result("logs/count_raw/{scatteritem}.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(500, per_mb=0.5),
        runtime=duration(5, per_mb=0.05),
        in_series=1,
    params:
        shard=shard_number,
        backend=SETTINGS["backend"],
        code=code("count_raw"),
    script:
        "../scripts/count_raw.py"


rule raw_statistics:
    """Add up the counts, as tables and as a page."""
    input:
        texts=gather.shards(result("raw/texts/{scatteritem}.parquet")),
        authors=gather.shards(result("raw/authors/{scatteritem}.parquet")),
        counts=expand(result("ingest/{source}/counts.json"), source=SOURCES),
    output:
        tables=report(
            expand(result("raw/{table}.csv"), table=RAW_TABLES),
            category="Raw corpora",
            caption="../report/captions/raw_tables.rst",
        ),
        page=report(
            result("raw/index.html"),
            category="Raw corpora",
            caption="../report/captions/raw_page.rst",
        ),
    log:
        result("logs/raw_statistics.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(300, per_corpus_mb=0.3),
        runtime=duration(10),
        in_series=1,
    params:
        name=SETTINGS["name"],
        back=back_link("raw/index.html"),
        template=page_templates("raw.html.j2"),
        code=code("raw_statistics"),
    script:
        "../scripts/raw_statistics.py"
