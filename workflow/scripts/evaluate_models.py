"""Adapter of the rules evaluate_sanity and evaluate_model."""

from pathlib import Path

from authbench.build.release.published import open_published
from authbench.config.plugins import load_metric
from authbench.core.runtime.job import log, log_to
from authbench.core.storage.parquet import read_columns
from authbench.models.model import VectorCache
from authbench.models.requested import model_of_build
from authbench.scoring.evaluation.familiarity import with_familiarity
from authbench.scoring.evaluation.run import evaluate, line
from authbench.scoring.evaluation.split import read_dev, read_split
from authbench.scoring.evaluation.verification import draw_negatives

log_to(snakemake.log[0])
params = snakemake.params
release = open_published(snakemake.input.data, snakemake.input.draft)
split = read_split(release, params.split)
for texts in snakemake.input.familiarity:
    split = with_familiarity(split, read_columns([texts]))
models = [model_of_build(stated, snakemake.input.get("tuned", [])) for stated in params.models]
dev = read_dev(release, params.dev, split) if any(model.shortcut for model in models) else None
negatives = draw_negatives(split, params.seed)
metrics = [load_metric(name) for name in params.metrics]
cache, out = VectorCache(Path(params.embeddings), params.half), Path(snakemake.output[0]).parents[2]
for model in models:
    result = evaluate(model, split, params.seed, out, cache, dev, negatives, metrics)
    log.info("%s", line(model.name, result))
