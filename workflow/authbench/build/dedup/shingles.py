"""Split texts into shingles, which are runs of characters.

Shingles run over code points after each run of white space is replaced by a space (AuthBench paper, A.1), so line
breaks do not make texts different. A text shorter than a shingle is a single shingle.
"""

import numpy as np
import polars as pl

from authbench.build.dedup import shingle_kernels
from authbench.core.arrays import I64, U64
from authbench.core.text_bytes import utf8


def shingle_hashes(texts: pl.Series, length: int) -> tuple[U64, I64]:
    """Return 64-bit hashes of all shingles of `length` characters, text by text, and the ends of each text.

    Repeated shingles are repeated. The hash mixes a polynomial over the code points modulo 2^64: two different shingles
    of two texts of 10,000 characters collide with probability under 10^-11.

    Returns:
        Hashes of shape (shingles,), and ends of shape (texts + 1,): text i has `hashes[ends[i]:ends[i + 1]]`.
    """
    data, offsets = utf8(texts)
    room = np.empty(int(offsets[-1] - offsets[0]) + len(texts), np.uint64)
    ends = np.zeros(len(texts) + 1, np.int64)
    shingle_kernels.shingle(data, offsets, length, room, ends)
    return room[: ends[-1]], ends
