"""Adapter of the rule export_release."""

from pathlib import Path

from authbench.core.runtime.job import log_to
from authbench.publish.export.run import export
from authbench.release.format.release import open_complete_release

log_to(snakemake.log[0])
release, out = open_complete_release(Path(snakemake.input.bundle)), Path(snakemake.output.folder)
export(release, snakemake.wildcards.form, out, snakemake.params.publish)
