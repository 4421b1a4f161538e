"""Adapter of the rule export_release."""

from pathlib import Path

from authbench.export.run import export
from authbench.format.release import open_complete_release
from authbench.runtime.job import log_to

log_to(snakemake.log[0])
release, out = open_complete_release(Path(snakemake.input.bundle)), Path(snakemake.output.folder)
export(release, snakemake.wildcards.form, out, snakemake.params.publish)
