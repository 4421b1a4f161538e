"""Adapter of the rule load_scorers."""

from authbench.build.safety import make_scorers
from authbench.core.runtime.job import log_to
from authbench.core.storage.json_files import write_json

log_to(snakemake.log[0])
scorers = make_scorers(snakemake.params.safety)
write_json(snakemake.output.scorers, {"scorers": [scorer.identity for scorer in scorers]})
