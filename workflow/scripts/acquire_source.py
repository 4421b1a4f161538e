"""Adapter of the rule acquire_source."""

from pathlib import Path

from authbench.build.acquire import acquire_source
from authbench.config.registry.sources import find_sources
from authbench.core.runtime.job import log, log_to
from authbench.core.storage.json_files import write_json

log_to(snakemake.log[0])
(source,) = find_sources([snakemake.params.source]).values()
params = snakemake.params
said = acquire_source(source, Path(params.raw_dir), params.share, params.most_bytes, params.most_rows)
log.warning("%s", said)
write_json(snakemake.output.said, {"said": said})
