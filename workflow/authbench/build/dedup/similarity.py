"""Select the part of a text that is compared with others, and fetch it again."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa

from authbench.build.dedup.compare import Texts
from authbench.build.normalize.boilerplate import strip_texts
from authbench.core.arrays import I64
from authbench.core.storage.parquet import read_batches
from authbench.core.text_bytes import utf8

IN_MEMORY = 1 << 27  # bytes of text kept in memory for comparison; more are kept in a temporary file


def similarity_text(texts: pl.DataFrame) -> pl.Series:
    """Return contents (frame with `lang`, `content`) without boilerplate, which unrelated texts share (A.2)."""
    stripped, contents = strip_texts(texts), texts["content"]
    return stripped.zip_with(stripped != "", contents).alias("text")


def stored_texts(paths: Sequence[str | Path], rows: I64) -> Texts:
    """Return a function that gives the similarity texts of documents by their position in `rows`.

    The files are read once, at this call.

    Args:
        paths: Parquet files.
        rows: shape (n,), documents, numbered consecutively over the files.
    """
    aside = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115  (lives as long as the function returned)
    begins, ends = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    ascending = np.argsort(rows, kind="stable")
    read, taken, written = 0, 0, 0
    for batch in read_batches(paths, ["lang", "content"]):
        upto = int(np.searchsorted(rows, read + batch.height, sorter=ascending))
        places = ascending[taken:upto]
        data, offsets = utf8(similarity_text(batch[rows[places] - read]))
        aside.write(data[offsets[0] : offsets[-1]].tobytes())
        begins[places], ends[places] = written + offsets[:-1] - offsets[0], written + offsets[1:] - offsets[0]
        read, taken, written = read + batch.height, upto, written + int(offsets[-1] - offsets[0])

    def fetch(places: I64) -> pl.Series:
        pieces = []
        for begin, end in zip(begins[places].tolist(), ends[places].tolist(), strict=True):
            aside.seek(begin)
            pieces.append(aside.read(end - begin))
        offsets = np.concatenate([[0], np.cumsum(ends[places] - begins[places])])
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(pieces))]
        return pl.Series("text", pa.LargeStringArray.from_buffers(len(places), *buffers[1:]))

    return fetch
