"""Adapter of the rule write_pair_sheets."""

from authbench.build.release.published import open_published
from authbench.core.runtime.job import log_to
from authbench.core.storage.atomic import atomic_folder
from authbench.scoring.people.draw import drawn_pairs
from authbench.scoring.people.sheets import write_pair_sheets

log_to(snakemake.log[0])
params = snakemake.params
release = open_published(snakemake.input.data, snakemake.input.draft)
drawn = drawn_pairs(release, params.split, params.pairs_per_language, params.seed)
with atomic_folder(snakemake.output.sheets) as folder:
    write_pair_sheets(folder, params.name, drawn, params.pairs_per_language)
