"""Adapter of the rule evaluate_model."""

from pathlib import Path

from authbench.evaluation.run import evaluate, line
from authbench.evaluation.split import read_dev, read_split
from authbench.models.model import VectorCache
from authbench.models.requested import model_of_build
from authbench.release.published import open_published
from authbench.runtime.job import log, log_to

log_to(snakemake.log[0])
params = snakemake.params
release = open_published(snakemake.input.data, snakemake.input.draft)
split = read_split(release, params.split)
model, out = model_of_build(params.model, snakemake.input.tuned), Path(snakemake.output.scores).parents[2]
dev = read_dev(release, params.dev, split) if model.shortcut else None
result = evaluate(model, split, params.seed, out, VectorCache(Path(params.embeddings), params.half), dev)
log.info("%s", line(model.name, result))
