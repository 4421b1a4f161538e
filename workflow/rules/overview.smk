"""Overview: which results of a run exist, and which commands make the others?

Takes   no inputs: it reads the folder of the run, and no job waits for it
Gives   index.html, which every run rewrites at its end
"""

# Snakemake's options of the configuration, repeated in the commands that the page shows.
OPTIONS = options_of(workflow.config_settings.configfiles, workflow.config_settings.config_args or [], HERE)
STORED = workflow.storage_settings.default_storage_provider
CLOSING = Closing(None if STORED else Path(RESULTS), SETTINGS, BEGAN, OPTIONS)
if workflow.is_main_process:
    logger.addFilter(CLOSING.hear)
    atexit.register(lambda: CLOSING.at_exit(workflow.dryrun))


rule index:
    """Rewrite the page, on demand."""
    log:
        result("logs/index.log"),
    conda:
        "../../envs/text.yaml"
    resources:
        mem_mb=memory(300),
        runtime=duration(5),
        in_series=1,
    params:
        folder=RESULTS,
        name=SETTINGS["name"],
        options=OPTIONS,
        template=page_templates("index.html.j2"),
        code=code("index"),
    script:
        "../scripts/index.py"
