"""Adapter of the rule answer_pairs."""

from pathlib import Path

from authbench.models.model import VectorCache
from authbench.pan.answers import write_run
from authbench.runtime.job import log_to
from authbench.verifiers.requested import VerifierEntry

log_to(snakemake.log[0])
params, out = snakemake.params, Path(snakemake.output.answers).parent
pairs = Path(snakemake.input.pairs)
cache = VectorCache(Path(params.embeddings), params.half)
write_run(VerifierEntry.from_dict(params.verifier), pairs / params.train, None, pairs / "test", out, params.seed, cache)
