"""Adapter of the rule raven_answers."""

from pathlib import Path

from authbench.core.runtime.job import log_to
from authbench.models.model import VectorCache
from authbench.scoring.verifiers import Bench
from authbench.scoring.verifiers.requested import VerifierEntry
from authbench.suites.raven.answers import write_answers

log_to(snakemake.log[0])
params = snakemake.params
documents, facts = Path(snakemake.input.documents), Path(snakemake.input.facts)
pairs = list(map(Path, snakemake.input.pairs))
verifier = VerifierEntry.from_dict(params.verifier)
bench = Bench(params.seed, Path(params.work), VectorCache(Path(params.embeddings), params.half))
write_answers(documents, facts, pairs, verifier, params.folds, bench, Path(snakemake.output.answers))
