"""Adapter of the rule train_model."""

from pathlib import Path

from authbench.build.release.published import open_published
from authbench.core.runtime.job import log_to
from authbench.models.entries import ModelEntry
from authbench.scoring.evaluation.split import read_split
from authbench.scoring.train.run import train_one

log_to(snakemake.log[0])
params = snakemake.params
release = open_published(snakemake.input.data, snakemake.input.draft)
learnt, *watched = (read_split(release, name) for name in ("train", *params.train["watch"]))
out = Path(snakemake.output.record).parent
train_one(ModelEntry.from_dict(params.model), learnt, watched, params.train, params.seed, release.seed, out)
