"""Adapter of the rule answer_pairs."""

from pathlib import Path

from authbench.core.runtime.job import log_to
from authbench.models.model import VectorCache
from authbench.scoring.verifiers.requested import VerifierEntry
from authbench.suites.pan.answers import write_run

log_to(snakemake.log[0])
params, out = snakemake.params, Path(snakemake.output.answers).parent
pairs = Path(snakemake.input.pairs)
cache = VectorCache(Path(params.embeddings), params.half)
write_run(VerifierEntry.from_dict(params.verifier), pairs / params.train, None, pairs / "test", out, params.seed, cache)
