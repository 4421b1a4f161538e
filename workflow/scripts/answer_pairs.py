"""Adapter of the rule answer_pairs."""

from pathlib import Path

from authbench.pan.build import write_run
from authbench.runtime.job import log_to
from authbench.verifiers.registry import Verifier

log_to(snakemake.log[0])
train, test = Path(snakemake.input.train).parent, Path(snakemake.input.test)
out = Path(snakemake.output.answers).parent
write_run(Verifier(**snakemake.params.verifier), train, None, test, out, snakemake.params.seed)
