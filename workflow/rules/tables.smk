"""Tables: what would a paper on the benchmark show? On demand: `snakemake tables`.

Takes   release/, evaluate/<model>/ (scores.json, queries.parquet, pairs.parquet)
Gives   tables/ (index.html, tables as CSV, Markdown and LaTeX, figures as SVG and PDF, paper.tex)
"""


rule tables:
    """Write every table and figure of a paper."""
    input:
        **RELEASED,
        scores=expand(result("evaluate/{model}/scores.json"), model=MODELS),
        queries=expand(result("evaluate/{model}/queries.parquet"), model=MODELS),
        pairs=expand(result("evaluate/{model}/pairs.parquet"), model=MODELS),
        curves=[result("train/curves.csv")] if LISTED_TRAININGS else [],
    output:
        folder=directory(result("tables")),
    log:
        result("logs/tables.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(1000, per_corpus_mb=0.3),
        runtime=duration(15),
        in_series=1,
    params:
        back=back_link("tables/index.html"),
        others=data_files("text/related_benchmarks.yaml"),
        template=page_templates("tables.html.j2"),
        code=code("tables"),
    script:
        "../scripts/tables.py"
