"""Adapter of the rule check_release."""

from pathlib import Path

from authbench.check.publish import publish
from authbench.runtime.job import log_to
from authbench.storage.atomic import write_text
from authbench.storage.json_files import write_json
from authbench.storage.sha256sums import SUMS

log_to(snakemake.log[0])
draft = Path(snakemake.input.draft)
checked = publish(draft, Path(snakemake.output.manifest).parent)
write_text(snakemake.output.data, (draft / SUMS).read_text(encoding="utf-8"))
write_json(snakemake.output.checked, checked)
