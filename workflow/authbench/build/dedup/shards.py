"""Read the signatures of all shards, and find exact copies.

Documents are numbered consecutively over the files. Of documents with the same text only the first reaches a bucket:
copies are removed before anything is compared.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from authbench.core.arrays import I32, I64, U64
from authbench.core.storage.parquet import count_rows, read_columns

# Gives for the documents at these rows, row by row, the rest of the text's hash (`text_1`) and the columns that define
# corpus order (`place`, `doc_key`).
Lookup = Callable[[I64], pl.DataFrame]
NOT_HERE = -1


def first_copies(text_0: U64, rows: I64, look_up: Lookup) -> I32:
    """Return for each document the row of the first in corpus order with its text, which may be its own row.

    Memory: 36 bytes per document, and the keys of documents that share a text.

    Args:
        text_0: shape (documents,), the first half of the texts' hashes.
        rows: of the documents to compare; other documents get NOT_HERE as result.
        look_up: gives the second half, and corpus order.
    """
    first = np.full(len(text_0), NOT_HERE, np.int32)
    first[rows] = rows
    copies = _rows_of_repeated(text_0, rows)
    table = (
        look_up(copies)
        .select("text_1", "place", "doc_key", row=copies, text_0=text_0[copies])
        .sort("place", "doc_key")
        .select("row", first=pl.col("row").first().over("text_0", "text_1"))
    )
    first[table["row"].to_numpy()] = table["first"].to_numpy()
    return first


def _rows_of_repeated(hashes: U64, rows: I64) -> I64:
    """Return the rows, ascending, whose hash another row shares (or, once in 2^30 pairs, nearly shares)."""
    packed, bits = pack(hashes, rows)
    bucket = packed >> np.uint64(bits)
    same = bucket[1:] == bucket[:-1]
    repeated = np.zeros(len(packed), bool)
    repeated[1:] |= same
    repeated[:-1] |= same
    return np.sort((packed[repeated] & np.uint64((1 << bits) - 1)).astype(np.int64))


def pack(hashes: U64, rows: I64) -> tuple[U64, int]:
    """Return the hashes at these rows, sorted, each combined with its row in a number, and the bits of a row.

    The row is in the low bits, so a sort of plain numbers groups equal hashes in the order of rows. A hash loses as
    many bits as a row takes: of 10^8 documents, strangers share the rest once in 10^11 pairs.
    """
    bits = max(1, int(len(hashes) - 1).bit_length()) if len(hashes) else 1
    packed = hashes[rows]
    packed >>= np.uint64(bits)
    packed <<= np.uint64(bits)
    np.bitwise_or(packed, rows, out=packed, dtype=np.uint64, casting="unsafe")
    packed.sort()
    return packed, bits


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
    """Return `first_copies` of all documents that no filter removed.

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
