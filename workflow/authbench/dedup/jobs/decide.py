"""Decide which documents are removed (`representatives`), from files to files."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from authbench.dedup.representatives import choose_representatives
from authbench.dedup.settings import DedupSettings, band_recall
from authbench.dedup.shards import Paths, read_documents, read_first_copies, sources_of
from authbench.funnel import Tally
from authbench.records import REMOVED
from authbench.storage.json_files import read_json, write_json
from authbench.storage.parquet import read_columns, write_parquet


def decide_all(
    signatures: Paths,
    filtered: Paths,
    pairs: Paths,
    compared: Paths,
    removed: str | Path,
    counts: str | Path,
    unit: str,
    order: Sequence[str],
    settings: DedupSettings,
) -> None:
    """Write the removed documents with their kept representatives, and count them.

    Memory: 36 bytes per document, and the keys of the documents that have a copy.
    """
    first = read_first_copies(signatures, filtered, order)
    similar = read_columns(pairs)
    repeated = np.flatnonzero((first >= 0) & (first != np.arange(len(first))))
    rows = np.unique(np.concatenate([repeated, first[repeated], similar["earlier"], similar["later"]]).astype(np.int64))
    copies = read_documents(signatures, rows, ["doc_key", "source", "author_id"], order)
    gone, facts = choose_representatives(
        copies.with_columns(row=rows, first=first[rows].astype(np.int64)), similar, settings
    )

    tally = Tally(f"dedup_{unit}")
    here, stays = first >= 0, first >= 0
    stays[gone["row"].to_numpy()] = False
    start = 0
    for sources in sources_of(signatures):
        part = slice(start, start + sources.height)
        tally.add(sources.filter(here[part]), sources.filter(stays[part]))
        start += sources.height
    tally.add(copies.clear(), copies.clear(), gone)
    tally.note("dedup", facts)
    for path in compared:
        tally.note("dedup", read_json(path))
    tally.note("expected_recall", band_recall(settings.threshold, settings.bands, settings.rows))
    write_parquet(_as_removed(gone, tally.stage, settings.threshold), removed)
    write_json(counts, tally.counts())


def _as_removed(copies: pl.DataFrame, stage: str, threshold: float) -> pl.DataFrame:
    """Return REMOVED rows: the value is the similarity, the detail names the kept representative."""
    return copies.select(
        "source",
        "doc_key",
        stage=pl.lit(stage),
        reason="reason",
        value="similarity",
        threshold=pl.lit(threshold),
        detail=pl.format("stand-in {}", "kept"),
    ).select(REMOVED.names())
