"""Find exact copies: documents with the same text, and the first of them.

Copies are removed before anything is compared: only the first of them reaches a bucket.
"""

from collections.abc import Callable

import numpy as np
import polars as pl

from authbench.arrays import I32, I64, U64

# Gives for the documents at these rows, row by row, the rest of the text's hash (`text_1`) and the columns that define
# corpus order (`place`, `doc_key`).
Lookup = Callable[[I64], pl.DataFrame]
NOT_HERE = -1


def first_copies(text_0: U64, rows: I64, look_up: Lookup) -> I32:
    """Return for each document the row of the first in corpus order with its text, which may be its own row.

    Memory: 36 bytes per document, and the keys of documents that share a text.

    Args:
        text_0: shape (documents,), the first half of the texts' hashes.
        rows: of the documents to compare; the others get NOT_HERE.
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
    """Return the hashes at these rows, sorted, each combined with its row in one number, and the bits of a row.

    The row is in the low bits, so one sort of plain numbers groups equal hashes in the order of rows. A hash loses as
    many bits as a row takes: of 10^8 documents, strangers share the rest once in 10^11 pairs.
    """
    bits = max(1, int(len(hashes) - 1).bit_length()) if len(hashes) else 1
    packed = hashes[rows]
    packed >>= np.uint64(bits)
    packed <<= np.uint64(bits)
    np.bitwise_or(packed, rows, out=packed, dtype=np.uint64, casting="unsafe")
    packed.sort()
    return packed, bits
