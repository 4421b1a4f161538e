"""Adapter of the rule score_people."""

import polars as pl

from authbench.build.release.published import open_published
from authbench.core.runtime.job import log_to
from authbench.core.storage.json_files import write_plain_json
from authbench.scoring.people.draw import drawn_pairs
from authbench.scoring.people.score import score_people
from authbench.scoring.people.verdicts import read_verdicts, verdicts_on

log_to(snakemake.log[0])
params = snakemake.params
release = open_published(snakemake.input.data, snakemake.input.draft)
drawn = drawn_pairs(release, params.split, params.pairs_per_language, params.seed)
people = verdicts_on(drawn, {path: read_verdicts(path) for path in params.verdicts})
models = dict(zip(params.models, map(pl.read_parquet, snakemake.input.released), strict=True))
write_plain_json(snakemake.output.scores, score_people(drawn, list(people.values()), models, params.seed))
