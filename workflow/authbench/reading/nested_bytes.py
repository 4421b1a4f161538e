"""Count the bytes of the texts of nested Parquet rows, without writing out a text that many of them share."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray


def row_bytes(column: pa.Array) -> NDArray[np.int64]:
    """Return for each row how many bytes its dictionary-encoded texts take when they are written out.

    >>> texts = pa.DictionaryArray.from_arrays([0, 0, 1], ["rain", "fog"])
    >>> row_bytes(pa.ListArray.from_arrays([0, 2, 3], texts))
    array([8, 3])
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        lengths = pc.binary_length(column.dictionary).take(column.indices)
        return np.asarray(lengths.fill_null(0)).astype(np.int64)
    if pa.types.is_struct(kind):
        return sum(map(row_bytes, column.flatten()), np.zeros(len(column), np.int64))
    if pa.types.is_map(kind):
        inner = row_bytes(column.keys) + row_bytes(column.items)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        inner = row_bytes(column.values)
    else:
        return np.zeros(len(column), np.int64)
    ends = np.concatenate([[0], np.cumsum(inner)])
    if pa.types.is_fixed_size_list(kind):
        starts = (column.offset + np.arange(len(column) + 1)) * kind.list_size
    else:
        starts = np.asarray(column.offsets)
    sizes: NDArray[np.int64] = np.diff(ends[starts])
    return sizes
