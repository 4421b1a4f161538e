"""Adapter of the rule embed_texts."""

from pathlib import Path

from authbench.evaluate.split import read_split
from authbench.models.encode import encode
from authbench.models.registry import Model
from authbench.runtime.job import log_to
from authbench.storage.json_files import write_json

log_to(snakemake.log[0])
params = snakemake.params
split = read_split(Path(params.release), params.split)
queries, candidates = encode(Model(**params.model), split, Path(params.embeddings), params.half)
write_json(snakemake.output.done, {"queries": len(queries), "candidates": len(candidates), "split": split.checksum})
