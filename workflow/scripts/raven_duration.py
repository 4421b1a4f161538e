"""Adapter of the rule raven_duration."""

from pathlib import Path

from authbench.core.runtime.job import log, log_to
from authbench.core.storage.atomic import write_text
from authbench.core.storage.json_files import read_json
from authbench.suites.raven.duration import expected

log_to(snakemake.log[0])
params = snakemake.params
estimate = expected(params.verifiers, read_json(snakemake.input.facts), params.jobs)
log.warning("%s", estimate)
write_text(Path(snakemake.output.estimate), f"{estimate}\n")
