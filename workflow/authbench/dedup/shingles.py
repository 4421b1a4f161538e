"""Which runs of characters does a text consist of?

Shingles run over code points after each run of white space has become one space (the paper's normal form, A.1:
where a text's lines break does not make it another text). A text shorter than a shingle is one shingle itself.
"""

import numpy as np
import polars as pl
import pyarrow as pa

from authbench.arrays import I64, U8, U64
from authbench.dedup import shingle_kernels


def utf8(texts: pl.Series) -> tuple[U8, I64]:
    """The texts' bytes, and where each begins and ends in them. Raises ValueError on a null."""
    if texts.null_count():
        raise ValueError(f"{texts.null_count()} of {len(texts)} texts are null")
    array = texts.rechunk().to_arrow().cast(pa.large_string())
    _, offsets, data = array.buffers()
    ends = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    if not len(array):
        ends = np.zeros(1, np.int64)
    return np.frombuffer(data if data is not None else b"", np.uint8), ends


def shingle_hashes(texts: pl.Series, length: int) -> tuple[U64, I64]:
    """64-bit hashes of all shingles of `length` characters, text after text, and the ends of each text's.

    Repeated shingles are repeated. The hash mixes a polynomial over the code points modulo 2^64: two different
    shingles of two texts of 10,000 characters are taken for one with probability under 10^-11.
    """
    data, offsets = utf8(texts)
    room = np.empty(int(offsets[-1] - offsets[0]) + len(texts), np.uint64)
    ends = np.zeros(len(texts) + 1, np.int64)
    shingle_kernels.shingle(data, offsets, length, room, ends)
    return room[: ends[-1]], ends
