"""Convert a column of texts to bytes for compiled loops."""

import numpy as np
import polars as pl

from authbench.core.arrays import I64, U8


def utf8(texts: pl.Series) -> tuple[U8, I64]:
    """Return the UTF-8 bytes of all texts, and offsets: text i is `bytes[offsets[i]:offsets[i + 1]]`.

    Raises:
        ValueError: a text is null; callers must replace it.
    """
    if texts.null_count():
        raise ValueError(f"{texts.null_count()} of {len(texts)} texts are null")
    if not len(texts):
        return np.frombuffer(b"", np.uint8), np.frombuffer(bytes(8), np.int64)
    array = texts.rechunk().to_arrow(compat_level=pl.CompatLevel.oldest())
    _, offsets, content = array.buffers()
    starts = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    return np.frombuffer(content or b"", np.uint8), starts
