"""Adapter of the rule embed_texts."""

from pathlib import Path

from authbench.build.release.published import open_published
from authbench.core.runtime.job import log_to
from authbench.core.storage.json_files import write_json
from authbench.models.model import VectorCache
from authbench.models.open import open_model
from authbench.models.requested import model_of_build
from authbench.scoring.evaluation.split import read_split

log_to(snakemake.log[0])
params = snakemake.params
split = read_split(open_published(snakemake.input.data, snakemake.input.draft), params.split)
model = open_model(
    model_of_build(params.model, snakemake.input.tuned), VectorCache(Path(params.embeddings), params.half)
)
model.compare(split.documents, split.candidates, split.asks)
done = {"queries": len(split.asks), "candidates": split.candidates, "split": split.checksum}
write_json(snakemake.output.done, done)
