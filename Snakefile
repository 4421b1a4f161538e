"""Include workflow/Snakefile, for commands run in the repository's root."""


include: "workflow/Snakefile"


workflow.default_target = rules.all.rule.name  # Snakemake drops the default target of an included file
