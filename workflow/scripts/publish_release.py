"""Adapter of the rule publish_release."""

from pathlib import Path

from authbench.build.release.publish import publish
from authbench.core.runtime.job import log_to
from authbench.core.storage.json_files import write_json

log_to(snakemake.log[0])
sums = publish(Path(snakemake.input.draft), Path(snakemake.output.manifest).parent)
write_json(snakemake.output.published, {"sha256": sums})
