"""AuthBench: from raw corpora with author labels to a checked authorship benchmark, and models on it.

The stages, in the order in which documents pass through them. `snakemake --cores 2` builds the demo;
`snakemake --cores 2 --configfile config/recipes/open-corpora.yaml` builds a benchmark from real corpora.
"""


include: "workflow/common.smk"
include: "workflow/rules/acquire.smk"
include: "workflow/rules/ingest.smk"
include: "workflow/rules/raw.smk"
include: "workflow/rules/normalize.smk"
include: "workflow/rules/dedup.smk"
include: "workflow/rules/chunk.smk"
include: "workflow/rules/filter.smk"
include: "workflow/rules/sample.smk"
include: "workflow/rules/split.smk"
include: "workflow/rules/release.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/review.smk"
include: "workflow/rules/evaluate.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/pan.smk"
include: "workflow/rules/publish.smk"
include: "workflow/rules/style.smk"
include: "workflow/rules/raven.smk"


rule all:
    default_target: True
    input:
        result("check.json"),
        result("release/SHA256SUMS"),
        result("dirty_docs.log"),
        result("leaderboard/index.html") if MODELS else [],


rule release:
    """The benchmark alone, no models on it."""
    input:
        result("check.json"),
        result("release/SHA256SUMS"),
        result("dirty_docs.log"),


onsuccess:
    print("", *closing_lines(RESULTS, SETTINGS), sep="\n")
