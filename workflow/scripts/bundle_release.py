"""Adapter of the rule bundle_release."""

from pathlib import Path

from authbench.config.registry.source_entry import make_source
from authbench.core.runtime.job import log_to
from authbench.publish.export.run import export_public, remove_forms
from authbench.release.format.verify import open_verified

log_to(snakemake.log[0])
release, out = Path(snakemake.input.sums).parent, Path(snakemake.output.folder)
sources = {tag: make_source(tag, entry) for tag, entry in snakemake.params.sources.items()}
scores = Path(snakemake.input.scores[0]).parents[1] if snakemake.input.scores else None
about = snakemake.params.publish
remove_forms(out.parent)
export_public(open_verified(release, complete=True), out, about, sources, scores)
