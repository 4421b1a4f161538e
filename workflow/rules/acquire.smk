"""Acquire: the corpora of a recipe into raw_dir. `snakemake acquire` fetches them; a build never does.

Takes   config/sources/<source>.yaml, what their hosts offer
Gives   raw_dir/<source>/, and what was first fetched in <raw_dir>.lock.yaml
"""

from authbench.registry.load import entry_name

REQUESTED = {entry_name(source): source for source in SETTINGS["sources"]}


wildcard_constraints:
    corpus="|".join(REQUESTED),


localrules:
    acquire,
    acquire_source,


rule acquire:
    """Have all corpora of the recipe here, verified."""
    input:
        expand(result("acquire/{corpus}.json"), corpus=REQUESTED),


rule acquire_source:
    """Fetch what is missing of one corpus, and verify what is here."""
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
        raw_dir=lambda wildcards: SETTINGS["raw_dir"],  # a function: braces in it are no wildcards
        share=SETTINGS["acquire"]["share"],
        asked=time.time(),  # what is here is verified whenever it is asked for
    script:
        "../scripts/acquire_source.py"
