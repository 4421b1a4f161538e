"""Adapter of the rule train_model."""

from pathlib import Path

from authbench.evaluation.split import read_split
from authbench.models.entries import ModelEntry
from authbench.release.published import open_published
from authbench.runtime.job import log, log_to
from authbench.train.run import last_line, train
from authbench.train.settings import TrainSettings

log_to(snakemake.log[0])
params = snakemake.params
settings = {key: params.train[key] for key in ("epochs", "batch", "learning_rate", "evaluations")}
release = open_published(snakemake.input.data)
splits = [read_split(release, name) for name in ("train", "dev")]
out = Path(snakemake.output.curves).parent
model = ModelEntry.from_dict(params.model)
curves = train(model, *splits, TrainSettings(**settings), range(params.train["seeds"]), out)
log.warning("%s", last_line(curves))
