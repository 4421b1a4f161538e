"""Adapter of the rule score_style."""

from pathlib import Path

from authbench.build.release.published import open_published
from authbench.core.runtime.job import log_to
from authbench.models.entries import ModelEntry
from authbench.models.model import VectorCache
from authbench.suites.style.datasets import find_datasets, with_release
from authbench.suites.style.run import Chosen, read_all, run

log_to(snakemake.log[0])
params = snakemake.params
release = open_published(snakemake.input.data, snakemake.input.draft) if params.style["release"] else None
datasets = with_release(find_datasets(params.style["datasets"]), release and release.folder)
protocols = params.style["protocols"]
rows, absent = read_all(datasets, Path(params.style["data"]), params.style["missing"], protocols)
model, cache = ModelEntry.from_dict(params.model), VectorCache(Path(params.embeddings), params.half)
for scores in map(Path, snakemake.output.scores):
    chosen = Chosen(scores.stem, params.seed, protocols)
    run(model, datasets, rows, absent, scores.parents[1], cache, chosen, release)
