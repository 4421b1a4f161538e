"""Adapter of the rule style_report."""

from pathlib import Path

from authbench.core.runtime.job import log_to
from authbench.suites.style.datasets import find_datasets
from authbench.suites.style.write import write_report

log_to(snakemake.log[0])
style, out = snakemake.params.style, Path(snakemake.output.folder)
folders = sorted({Path(path).parent for path in snakemake.input.scores})
clusters = Path(style["clusters"]) if style["clusters"] else None
write_report(folders, out, find_datasets(style["datasets"]), clusters, snakemake.params.back)
