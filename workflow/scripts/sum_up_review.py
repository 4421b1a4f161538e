"""Adapter of the rule sum_up_review."""

from pathlib import Path

import polars as pl

from authbench.build.filter.exclusions import read_verdicts
from authbench.core.runtime.job import log, log_to
from authbench.core.storage.atomic import write_text
from authbench.scoring.review.summary import lines, summarise

log_to(snakemake.log[0])
params = snakemake.params
readers = {Path(path).stem: read_verdicts(path) for path in params.verdicts}
summary = summarise(readers, pl.read_parquet(snakemake.input.documents, columns=["doc_key", "lang"]), params.seed)
write_text(snakemake.output.verdicts, summary.verdicts.write_csv())
write_text(snakemake.output.agreement, summary.agreement.write_csv())
for line in lines(summary):
    log.warning("%s", line)
