"""Adapter of the rule draw_curves."""

from pathlib import Path

from authbench.runtime.job import log_to
from authbench.train.curves import write_curves

log_to(snakemake.log[0])
write_curves(Path(snakemake.input.curves), snakemake.params.model, Path(snakemake.output.picture))
