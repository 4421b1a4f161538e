"""Adapter of the rule evaluate_model."""

from pathlib import Path

from authbench.evaluate.run import evaluate, line
from authbench.evaluate.split import read_split
from authbench.models.registry import Model
from authbench.runtime.job import log, log_to

log_to(snakemake.log[0])
params = snakemake.params
split = read_split(Path(params.release), params.split)
model, out = Model(**params.model), Path(snakemake.output.scores).parents[1]
log.info("%s", line(model.name, evaluate(model, split, params.seed, out, Path(params.embeddings), params.half)))
