"""Adapter of the rule render_report."""

from pathlib import Path

from authbench.registry.source_entry import Description
from authbench.registry.typed_schema import from_plain
from authbench.release.published import digests_of, open_published, read_digests
from authbench.report.write import draw_report
from authbench.runtime.job import log_to
from authbench.storage.atomic import write_text
from authbench.storage.json_files import read_json
from authbench.storage.sha256sums import sums_lines

log_to(snakemake.log[0])
sources = {tag: from_plain(Description, entry) for tag, entry in snakemake.params.sources.items()}
release, out = open_published(snakemake.input.data, snakemake.input.draft), Path(snakemake.output.sums).parent
draw_report(release.folder, out, sources, read_json(snakemake.input.findings))
drawn = [Path(path).relative_to(out).as_posix() for path in (snakemake.output.report, *snakemake.output.figures)]
write_text(snakemake.output.sums, sums_lines({**read_digests(snakemake.input.data), **digests_of(out, drawn)}))
