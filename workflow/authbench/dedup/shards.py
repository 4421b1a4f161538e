"""Read the signatures of all shards. Documents are numbered consecutively over the files."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from authbench.arrays import I32, I64, U64
from authbench.dedup.copies import first_copies
from authbench.storage.parquet import count_rows, read_columns

Paths = Sequence[str | Path]


def starts_of(signatures: Paths) -> I64:
    """Return the number of each file's first document, and of all documents, shape (files + 1,)."""
    return np.cumsum([0, *map(count_rows, signatures)], dtype=np.int64)


def read_column(signatures: Paths, *names: str) -> U64:
    """Return a column of 64-bit hashes of all documents; several columns give shape (documents, columns)."""
    starts = starts_of(signatures)
    values = np.empty((int(starts[-1]), len(names)), np.uint64)
    for path, start, end in zip(signatures, starts, starts[1:], strict=False):
        values[start:end] = read_columns([path], names).select(names).to_numpy()
    return values[:, 0] if len(names) == 1 else values


def read_documents(signatures: Paths, rows: I64, names: Sequence[str], order: Sequence[str] = ()) -> pl.DataFrame:
    """Return columns of the documents with these numbers, in this order; with `order`, also `place` of their sources.

    Args:
        signatures: the shards' files.
        rows: shape (n,), numbers of documents over all shards.
        names: of the columns.
        order: of the sources.
    """
    if order:
        places = pl.DataFrame({"source": order}, schema={"source": pl.String}).with_row_index("place")
        return read_documents(signatures, rows, names).join(places, on="source", maintain_order="left")
    ascending = np.argsort(rows, kind="stable")
    starts = starts_of(signatures)
    cuts = np.searchsorted(rows, starts, sorter=ascending)
    found: list[pl.DataFrame] = [
        read_columns([path], names)[rows[ascending[low:high]] - start]
        for path, start, low, high in zip(signatures, starts, cuts, cuts[1:], strict=False)
        if high > low or path == signatures[0]
    ]
    back = np.empty(len(rows), np.int64)
    back[ascending] = np.arange(len(rows))
    return pl.concat(found).select(names)[back]


def _taking_part(signatures: Paths, filtered: Paths) -> I64:
    """Return the numbers of the documents that no filter removed. `filtered`: a file for each shard, or none."""
    starts = starts_of(signatures)
    if not filtered:
        return np.arange(starts[-1])
    here = np.ones(int(starts[-1]), bool)
    for path, gone, start, end in zip(signatures, filtered, starts, starts[1:], strict=False):
        keys = read_columns([gone], ["doc_key"])["doc_key"]
        here[start:end] = ~read_columns([path], ["doc_key"])["doc_key"].is_in(keys.implode()).to_numpy()
    return np.flatnonzero(here)


def read_first_copies(signatures: Paths, filtered: Paths, order: Sequence[str]) -> I32:
    """Return `copies.first_copies` of all documents that no filter removed.

    Returns:
        Shape (documents,).
    """
    return first_copies(
        read_column(signatures, "text_0"),
        _taking_part(signatures, filtered),
        lambda rows: read_documents(signatures, rows, ["text_1", "doc_key", "source"], order),
    )


def sources_of(signatures: Paths) -> Iterator[pl.DataFrame]:
    """Yield the sources of the documents, a frame for each file."""
    for path in signatures:
        yield read_columns([path], ["source"])
