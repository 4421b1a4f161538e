"""Adapter of the rule check_release."""

from pathlib import Path

from authbench.core.runtime.job import log_to
from authbench.core.storage.json_files import write_json
from authbench.release.checking.draft import check_draft

log_to(snakemake.log[0])
params = snakemake.params
write_json(snakemake.output.checked, check_draft(Path(snakemake.input.draft), Path(params.published), params.settings))
