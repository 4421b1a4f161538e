"""Read columns of known types from a user-supplied Parquet file: ids, numbers, vectors.

The size of its pages is checked against the file size before memory is allocated.
"""

from collections.abc import Mapping
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from authbench.core.errors import InputError
from authbench.core.printable import printable
from authbench.core.storage.parquet_headers import bounded_parquet, decoded

IDENT, NUMBER, VECTOR = "text or whole numbers", "numbers", "lists of numbers"


def read_columns(path: Path, wanted: Mapping[str, str]) -> pl.DataFrame:
    """Return columns of a Parquet file; ids as text.

    Args:
        wanted: IDENT, NUMBER or VECTOR by column name.

    Raises:
        InputError: it is unreadable, lacks a column or has it twice, a column has another type, or it expands beyond
            its memory limit.
    """
    with decoded(path):
        schema = pq.read_metadata(path).schema.to_arrow_schema()
    for name, kind in wanted.items():
        _expect(path, schema, name, kind)
    table = bounded_parquet(path, list(wanted))
    return table.with_columns(pl.col(name).cast(pl.String) for name, kind in wanted.items() if kind == IDENT)


def _expect(path: Path, schema: pa.Schema, name: str, kind: str) -> None:
    """Raise InputError if a table lacks this column, or it has another type."""
    if (found := schema.names.count(name)) != 1:
        names = ", ".join(printable(one[:40]) for one in schema.names[:20])
        raise InputError(f"{path}: has {found or 'no'} column{'s' * (found > 1)} {name}; it has {names or 'none'}.")
    of = schema.field(name).type
    if pa.types.is_dictionary(of):
        of = of.value_type
    if kind == VECTOR:
        lists = pa.types.is_list(of) or pa.types.is_large_list(of) or pa.types.is_fixed_size_list(of)
        fits = lists and _is_number(of.value_type)
    elif kind == NUMBER:
        fits = _is_number(of)
    else:
        text = pa.types.is_string(of) or pa.types.is_large_string(of) or pa.types.is_string_view(of)
        fits = text or pa.types.is_integer(of)
    if not fits:
        raise InputError(f"{path}: the column {name} is of {of}. Expected {kind}.")


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))
