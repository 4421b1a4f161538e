"""Adapter of the rule raven_report."""

from pathlib import Path

from authbench.core.runtime.job import log, log_to
from authbench.core.storage.json_files import read_json
from authbench.suites.raven.page import write_report
from authbench.suites.raven.results import read_run

log_to(snakemake.log[0])
params = snakemake.params
facts, pairs = Path(snakemake.input.facts), Path(snakemake.input.pairs[0]).parent
answers = list(map(Path, snakemake.input.answers))
found = read_run(facts, pairs, answers, params.verifiers)
verification = read_json(snakemake.input.verification)
log.warning("%s", write_report(found, params.raven, Path(snakemake.output.folder), verification, params.back))
