"""Adapter of the rule draw_curves."""

from pathlib import Path

from authbench.core.runtime.job import log, log_to
from authbench.scoring.train.curves import write_curves
from authbench.scoring.train.run import last_lines, write_curves_of

log_to(snakemake.log[0])
table, picture = Path(snakemake.output.curves), Path(snakemake.output.picture)
curves = write_curves_of(map(Path, snakemake.input.records), table)
write_curves(table, picture)
for line in last_lines(curves):
    log.warning("%s", line)
