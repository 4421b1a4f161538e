"""Adapter of the rule measure_familiarity."""

from authbench.build.release.published import open_published
from authbench.core.runtime.job import log, log_to
from authbench.core.storage.parquet import write_parquet
from authbench.models.requested import model_of_build
from authbench.scoring.evaluation.familiarity import measure_familiarity, shares
from authbench.scoring.evaluation.split import read_split

log_to(snakemake.log[0])
params = snakemake.params
split = read_split(open_published(snakemake.input.data, snakemake.input.draft), params.split)
texts = measure_familiarity(split.documents, model_of_build(params.model, []))
for row in shares(texts).iter_rows(named=True):
    log.info("%(lang)s, stated %(stated)s: %(texts)d texts, familiar %(familiar).3f", row)
write_parquet(texts, snakemake.output.texts)
