"""Adapter of the rule tables."""

from pathlib import Path

from authbench.build.release.published import open_published
from authbench.core.runtime.job import log, log_to
from authbench.reports.tables.write import write_tables
from authbench.scoring.train.records import read_curves

log_to(snakemake.log[0])
release = open_published(snakemake.input.data, snakemake.input.draft)
folders, out = [Path(path).parent for path in snakemake.input.scores], Path(snakemake.output.folder)
trainings = [read_curves(Path(path)) for path in snakemake.input.curves]
written = write_tables(folders, release, out, trainings=trainings, back=snakemake.params.back)
log.info("%d tables and %d figures", written.tables, written.figures)
