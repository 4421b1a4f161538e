"""Link the texts that share a bucket in a part of the bands (`links`), from files to file."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from authbench.build.dedup.links import link
from authbench.build.dedup.shards import Paths, read_column, read_first_copies
from authbench.build.dedup.signatures import SKETCH
from authbench.config.settings.dedup import Comparison
from authbench.config.settings.values import Backend
from authbench.core.storage.parquet import read_columns, write_parquet


def link_part(
    signatures: Paths,
    filtered: Paths,
    links: str | Path,
    share: tuple[int, int],
    order: Sequence[str],
    settings: Comparison,
    backend: Backend = "kernels",
) -> None:
    """Find the links between texts from a share of the bands, given as (part, number of parts).

    Memory: 52 bytes per document for any number of bands; 1.4 kB of the backend `packages`.
    """
    first = read_first_copies(signatures, filtered, order)
    rows = np.flatnonzero(first == np.arange(len(first), dtype=np.int32))
    del first
    names = (f"band_{band}" for band in range(share[0], settings["bands"], share[1]))
    if backend == "packages":
        bands = (read_columns(signatures, [name])[name].to_numpy() for name in names)
    else:
        bands = (read_column(signatures, name) for name in names)
    write_parquet(link(bands, rows, read_column(signatures, *SKETCH), settings, backend), links)
