"""Adapter of the rule bundle_release."""

from pathlib import Path

from authbench.export.publication import publication
from authbench.export.run import export_public
from authbench.runtime.job import log_to

log_to(snakemake.log[0])
release, out = (Path(sums).parent for sums in (snakemake.input.sums, snakemake.output.sums))
export_public(release, out, publication(snakemake.params.publish), snakemake.params.sources)
