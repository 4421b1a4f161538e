"""Decide which documents are removed (`representatives`), from files to files."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from authbench.build.dedup.representatives import choose_representatives
from authbench.build.dedup.settings import band_recall
from authbench.build.dedup.shards import Paths, read_documents, read_first_copies, sources_of
from authbench.build.dedup.unique import COLUMNS, REASON, REPEATED, repeated_fields, values_of
from authbench.config.settings.dedup import Copies
from authbench.core.arrays import BOOL
from authbench.core.funnel import Tally
from authbench.core.records import as_removed, empty
from authbench.core.storage.json_files import read_json, write_json
from authbench.core.storage.parquet import read_batches, read_columns, write_parquet


class Compared(NamedTuple):
    """Files of similar pairs, and of what was counted in comparing them."""

    pairs: Paths
    counts: Paths


class Decisions(NamedTuple):
    """The files of the removed documents and of the counts."""

    removed: str | Path
    counts: str | Path


class Unique(NamedTuple):
    """The signed texts, and by task type the fields and labels of which no two kept texts share a value."""

    texts: Paths = ()
    fields: Mapping[str, Sequence[str]] | None = None


NOT_UNIQUE = Unique()


def decide_all(
    signatures: Paths,
    filtered: Paths,
    compared: Compared,
    decisions: Decisions,
    unit: str,
    order: Sequence[str],
    settings: Copies,
    unique: Unique = NOT_UNIQUE,
) -> None:
    """Write the removed documents with their kept representatives, and count them.

    Memory: 36 bytes per document, and the keys of the documents that have a copy; with `unique` also a row group of
    texts, and 500 bytes for each value of such a field.
    """
    first = read_first_copies(signatures, filtered, order)
    pairs = read_columns(compared.pairs)
    repeated = np.flatnonzero((first >= 0) & (first != np.arange(len(first))))
    rows = np.unique(np.concatenate([repeated, first[repeated], pairs["earlier"], pairs["later"]]).astype(np.int64))
    copies = read_documents(signatures, rows, ["doc_key", "source", "author_id"], order)
    gone, facts = choose_representatives(
        copies.with_columns(row=rows, first=first[rows].astype(np.int64)), pairs, settings
    )

    tally = Tally(f"dedup_{unit}")
    here, stays = first >= 0, first >= 0
    stays[gone["row"].to_numpy()] = False
    repeated_values = _repeated(unique.texts, stays, unique.fields, order) if unique.fields else empty(REPEATED)
    stays[repeated_values["row"].to_numpy()] = False
    start = 0
    for sources in sources_of(signatures):
        part = slice(start, start + sources.height)
        tally.add(sources.filter(here[part]), sources.filter(stays[part]))
        start += sources.height
    tally.add(copies.clear(), copies.clear(), gone)
    tally.add(copies.clear(), copies.clear(), repeated_values.with_columns(reason=pl.lit(REASON)))
    tally.note("dedup", facts)
    for path in compared.counts:
        tally.note("dedup", read_json(path))
    tally.note("expected_recall", band_recall(settings["threshold"], settings["bands"], settings["rows"]))
    kept, value_of = pl.format("stand-in {}", "kept"), pl.format("{} of {}", "field", "first")
    copied = as_removed(gone, tally.stage, "reason", kept, "similarity", settings["threshold"])
    repeated_texts = as_removed(repeated_values, tally.stage, pl.lit(REASON), value_of)
    write_parquet(pl.concat([copied, repeated_texts]), decisions.removed)
    write_json(decisions.counts, tally.counts())


def _repeated(texts: Paths, stays: BOOL, unique: Mapping[str, Sequence[str]], order: Sequence[str]) -> pl.DataFrame:
    """Return the kept texts that repeat a field of an earlier text (REPEATED)."""

    def values() -> Iterator[pl.DataFrame]:
        start = 0
        for batch in read_batches(texts, COLUMNS):
            rows = np.arange(start, start + batch.height)
            start += batch.height
            yield values_of(batch.with_columns(row=rows).filter(stays[rows]), unique, order)

    return repeated_fields(values())
