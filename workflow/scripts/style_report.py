"""Adapter of the rule style_report."""

from pathlib import Path

from authbench.core.runtime.job import log_to
from authbench.suites.style.datasets import find_datasets, with_release
from authbench.suites.style.write import write_report

log_to(snakemake.log[0])
style, out = snakemake.params.style, Path(snakemake.output.folder)
folders = sorted({Path(path).parent for path in snakemake.input.scores})
clusters = Path(style["clusters"]) if style["clusters"] else None
datasets = with_release(find_datasets(style["datasets"]), Path() if style["release"] else None)
write_report(folders, out, datasets, clusters, snakemake.params.back)
