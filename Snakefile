"""The workflow of workflow/Snakefile, for those who look for it here."""


include: "workflow/Snakefile"


workflow.default_target = rules.all.rule.name  # Snakemake drops the default target of an included file
