"""Acquire the corpora of a recipe into raw_dir. `snakemake acquire` fetches them; a build never does.

Takes   config/sources/<source>.yaml, and files from the hosts
Gives   raw_dir/<source>/, and the digests of the first download in <raw_dir>.lock.yaml
"""

from authbench.config.registry.load import entry_name

REQUESTED = {entry_name(source): source for source in SETTINGS["sources"]}


wildcard_constraints:
    corpus="|".join(REQUESTED),


localrules:
    acquire,
    acquire_source,


rule acquire:
    """Fetch and verify all corpora of the recipe."""
    input:
        expand(result("acquire/{corpus}.json"), corpus=REQUESTED),


rule acquire_source:
    """Fetch the missing files of one corpus, and verify the others."""
    output:
        said=result("acquire/{corpus}.json"),
    log:
        result("logs/acquire_source/{corpus}.log"),
    conda:
        "../../envs/acquire.yaml"
    resources:
        mem_mb=memory(300),
        runtime=duration(720),
        download=1,
    params:
        source=lambda wildcards: REQUESTED[wildcards.corpus],
        raw_dir=lambda wildcards: SETTINGS["raw_dir"],  # a function, because braces in it are not wildcards
        share=SETTINGS["acquire"]["share"],
        most_bytes=SETTINGS["acquire"]["bytes"],
        most_rows=SETTINGS["acquire"]["rows"],
        asked=time.time(),  # existing files are verified on every request
    script:
        "../scripts/acquire_source.py"
