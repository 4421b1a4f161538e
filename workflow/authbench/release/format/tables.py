"""Read the tables of a release: JSON lines of a split in batches, and Parquet files, with the columns of the format."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from authbench.core.errors import InputError
from authbench.core.printable import shown
from authbench.core.storage.json_lines import value_batches
from authbench.core.storage.parquet_headers import decoded, expect_readable
from authbench.release.format.columns import IDS, SPLIT_TABLES, Table

BATCH_BYTES = 16 << 20
_KINDS: Mapping[object, tuple[str, Callable[[object], bool]]] = {
    pl.String: ("a string", lambda value: isinstance(value, str)),
    pl.Int32: ("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)),
    pl.List: (
        "a list of strings",
        lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value),
    ),
}


def read_table(path: Path, table: Table) -> Iterator[pl.DataFrame]:
    """Yield the rows of a JSON lines file in batches with the schema of `table`; other fields are left out.

    Raises:
        InputError: the file cannot be read, or a row, reported by line, lacks a field or has another type in a field.
    """
    expect_file(path)
    for first, rows in value_batches(path, BATCH_BYTES):
        try:
            columns = {name: list(map(itemgetter(name), rows)) for name in table.required}
            columns |= {name: [row.get(name) for row in rows] for name in table.optional}
            frame = pl.DataFrame([column_of(name, columns[name], dtype) for name, dtype in table.schema.items()])
        except (AttributeError, KeyError, TypeError, OverflowError, pl.exceptions.PolarsError):
            raise InputError(_first_problem(path, first, rows, table)) from None
        if any(frame[name].null_count() for name in table.required):
            raise InputError(_first_problem(path, first, rows, table))
        yield frame


def column_of(name: str, values: list[Any], dtype: Any) -> pl.Series:
    """Return values as a column; raise an error of polars or a TypeError for a value of another type."""
    if dtype != IDS:
        return pl.Series(name, values, dtype)
    if not all(value is None or isinstance(value, list) for value in values):
        raise TypeError(f"{name}: a value is not a list")
    # Polars would make a series of each list.
    flat = pl.Series(list(chain.from_iterable(value or () for value in values)), dtype=pl.String)
    if flat.null_count():
        raise TypeError(f"{name}: a list holds null")
    ends = np.cumsum([0, *(len(value or ()) for value in values)])
    absent = np.fromiter((value is None for value in values), np.bool_, len(values))
    lists = pa.LargeListArray.from_arrays(pa.array(ends), flat.to_arrow(), mask=pa.array(absent))
    return pl.Series(name, lists, dtype)


def read_pairs(path: Path, table: Table, types: pl.Schema | None = None) -> pl.DataFrame:
    """Return the unchanged rows of a Parquet file of a split, with the columns of `table`; `later` columns may be null.

    Columns are cast to `types` while they are read, so that texts are never in memory; null if a value does not fit.

    Raises:
        InputError: the file cannot be read, lacks a column or a required value, or a column has another type.
    """
    for name, problem in table_problems(path, table):
        if name in table.names:
            raise InputError(f"{path}: the column {name} {problem}.")
    there = columns_of(path)
    columns = [name if name in there else pl.lit(None, dtype).alias(name) for name, dtype in table.schema.items()]
    with decoded(path):
        lines = pl.scan_parquet(path, glob=False).select(columns)
        return lines.cast(types or {}, strict=False).collect(engine="streaming")


def columns_of(path: Path) -> Collection[str]:
    """Return the columns of a Parquet file. Raises InputError if it cannot be read."""
    expect_readable(path, [])
    with decoded(path):
        return pl.read_parquet_schema(path)


def table_problems(path: Path, table: Table) -> Iterator[tuple[str, str]]:
    """Yield the columns of a Parquet file that contradict the declarations of `table`, each with the problem.

    Raises:
        InputError: the file cannot be read.
    """
    expect_readable(path)
    with decoded(path):
        schema, lines = pl.read_parquet_schema(path), pl.scan_parquet(path, glob=False)
        needed = [name for name in table.required if schema.get(name) == table.schema[name]]
        nulls = lines.select(pl.col(needed).null_count()).collect(engine="streaming").row(0) if needed else ()
    for column in table.columns:
        if column.name in schema and schema[column.name] != column.dtype:
            yield column.name, f"is {schema[column.name]}, expected {column.dtype}"
        elif column.name not in schema and column.setting is None and not column.later:
            yield column.name, "is absent"
    yield from ((name, "may not be null") for name, many in zip(needed, nulls, strict=True) if many)
    yield from ((name, "is none of the format") for name in schema if name not in table.schema)


def expect_file(path: Path) -> None:
    """Check that a file of a split exists.

    Raises:
        InputError: it does not.
    """
    if not path.is_file():
        expected = ", ".join(table.file for table in SPLIT_TABLES.values())
        raise InputError(f"{path}: there is no such file. A split holds {expected}.")


def concat(batches: Iterator[pl.DataFrame], table: Table, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Return the rows of batches of a table (of some `columns`) as a frame, empty without batches."""
    schema = {name: table.schema[name] for name in columns or table.names}
    return pl.concat([pl.DataFrame(schema=schema), *batches])


def _first_problem(path: Path, first: int, rows: Sequence[object], table: Table) -> str:
    for number, row in enumerate(rows, start=first):
        if problem := _problem(row, table):
            return f"{path}, line {number}: {problem}"
    return f"{path}, lines {first} to {first + len(rows) - 1}: a field holds values of several kinds."


def _problem(row: object, table: Table) -> str:
    if not isinstance(row, dict):
        return f"is not an object. Expected {', '.join(table.required)}."
    if missing := [name for name in table.required if row.get(name) is None]:
        return f"no {', '.join(missing)}. Expected {', '.join(table.required)}."
    for column in table.columns:
        kind, fits = _KINDS[pl.List if column.dtype == IDS else column.dtype]
        value = row.get(column.name)
        if value is not None and not fits(value):
            return f"{column.name} is {shown(value)}. Expected {kind}."
    return ""
