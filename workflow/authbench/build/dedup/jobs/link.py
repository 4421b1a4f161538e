"""Link the texts that share a bucket in a part of the bands (`links`), from files to file."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from authbench.build.dedup.links import fewest_links, link_band, unlinked
from authbench.build.dedup.shards import Paths, read_column, read_first_copies
from authbench.build.dedup.signatures import SKETCH
from authbench.config.settings.dedup import Comparison
from authbench.core.storage.parquet import write_parquet


def link_part(
    signatures: Paths,
    filtered: Paths,
    links: str | Path,
    share: tuple[int, int],
    order: Sequence[str],
    settings: Comparison,
) -> None:
    """Find the links between texts from a share of the bands, given as (part, number of parts).

    Memory: 52 bytes per document for any number of bands.
    """
    first = read_first_copies(signatures, filtered, order)
    component = unlinked(len(first))
    rows = np.flatnonzero(first == component)
    del first
    sketches = read_column(signatures, *SKETCH)
    for band in range(share[0], settings["bands"], share[1]):
        link_band(component, read_column(signatures, f"band_{band}"), rows, sketches, settings)
    write_parquet(fewest_links(component), links)
