"""Adapter of the rule raven_duration."""

from pathlib import Path

from authbench.raven.duration import expected
from authbench.runtime.job import log, log_to
from authbench.storage.atomic import write_text
from authbench.storage.json_files import read_json

log_to(snakemake.log[0])
params = snakemake.params
estimate = expected(params.verifiers, read_json(snakemake.input.facts), params.jobs)
log.warning("%s", estimate)
write_text(Path(snakemake.output.estimate), f"{estimate}\n")
