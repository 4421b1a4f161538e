"""Bound the unpacked size of a Parquet file's pages by the headers that a decoder follows, before memory is allocated.

The footer states sizes too, but decoders do not enforce them. A header is in Thrift's compact protocol.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from authbench.core.errors import InputError
from authbench.core.printable import printable
from authbench.core.storage.bounds import room, too_large

ALWAYS_VALUES = 1 << 20  # values of a column
VALUES_PER_BYTE = 16  # values per byte of a larger file
_HEAD, _LONG_HEAD = 1 << 12, 1 << 24
_DEEPEST = 12
_BOOLEANS, _BYTE, _NUMBERS, _DOUBLE, _BINARY, _LISTS, _STRUCT = (1, 2), 3, (4, 5, 6), 7, 8, (9, 10), 12
# Fields of a footer, of a row group, of a column chunk, of its description, and of its size statistics.
_ROW_GROUPS, _COLUMNS, _COLUMN, _ENCRYPTION, _SIZES, _UNENCODED, _REPETITIONS, _DEFINITIONS = 4, 1, 3, 8, 16, 1, 2, 3
_VALUES_OF = (5, 7, 8)  # fields of a header whose first field counts values: of data, of a dictionary, of data in V2


def bounded_parquet(path: Path, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Return these columns (None: all) of a Parquet file, as `pl.read_parquet` does.

    Raises:
        InputError: it expands to more than its room, or is not a Parquet file.
    """
    expect_readable(path, columns)
    with decoded(path):
        return pl.read_parquet(path, columns=None if columns is None else list(columns), glob=False)


@contextmanager
def decoded(path: Path) -> Iterator[None]:
    """Reject the Parquet file if pyarrow or polars fail to read it, by an exception or a panic."""
    try:
        yield
    except (pa.ArrowException, pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as problem:
        lines = str(problem).splitlines() or [type(problem).__name__]
        raise InputError(f"{path}: cannot be read as Parquet: {printable(lines[0][:200])}") from None


def expect_readable(path: Path, columns: Sequence[str] | None = None) -> None:
    """Reject a Parquet file whose columns (None: all) cannot be read as a whole.

    Raises:
        InputError: they expand to more than their room, or it is not a Parquet file.
    """
    if not path.is_file():
        raise InputError(f"{path}: is no regular file. Expected a Parquet file.")
    with decoded(path):
        footer = pq.read_metadata(path)
        held = dict.fromkeys(footer.schema.column(place).path for place in range(footer.num_columns))
        with path.open("rb") as file:
            expect_bounded(str(path), file, footer, held if columns is None else columns, path.stat().st_size, True)


def expect_bounded(
    name: str, stream: IO[bytes], metadata: pq.FileMetaData, columns: Collection[str], stored: int, whole: bool = False
) -> None:
    """Reject a file whose columns expand beyond its room, or have more values than its bytes can encode.

    A reader of batches holds a page of each column; for a file read as a `whole`, all pages count.

    Raises:
        InputError: the file is rejected, or its pages are not where the footer says.
    """
    _expect_described(stream, metadata)
    most = max(ALWAYS_VALUES, VALUES_PER_BYTE * stored)
    totals: dict[str, int] = {}
    at_once = 0
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        at_once = at_once if whole else 0
        for place in range(group.num_columns):
            chunk = group.column(place)
            if chunk.path_in_schema.partition(".")[0] not in columns and chunk.path_in_schema not in columns:
                continue
            held = 0
            for unpacked, values in _pages(stream, chunk):
                held = held + unpacked if whole else max(held, unpacked)
                totals[chunk.path_in_schema] = totals.get(chunk.path_in_schema, 0) + values
            at_once += held
            if at_once > room(stored) or totals.get(chunk.path_in_schema, 0) > most:
                raise too_large(name, stored)


def _expect_described(stream: IO[bytes], metadata: pq.FileMetaData) -> None:
    """Reject a footer with a column chunk at which pyarrow ends the process (`RowGroupMetaData.column`, 26.0).

    Raises:
        OSError: a column is encrypted, or its size statistics do not fit the schema.
    """
    size = stream.seek(-8, 2)
    length = int.from_bytes(stream.read(4), "little")
    stream.seek(max(0, size - length))
    try:
        footer, _ = _struct(stream.read(length), 0, 0)
    except IndexError:
        raise OSError("the footer ends early") from None
    for group in _structs(footer.get(_ROW_GROUPS)):
        for place, chunk in enumerate(_structs(group.get(_COLUMNS))):
            described = chunk.get(_COLUMN)
            if _ENCRYPTION in chunk or type(described) is not dict or place >= metadata.num_columns:
                raise OSError("a column is encrypted, or not described")
            sizes, leaf = described.get(_SIZES), metadata.schema.column(place)
            if type(sizes) is not dict:
                continue
            levels = ((_REPETITIONS, leaf.max_repetition_level), (_DEFINITIONS, leaf.max_definition_level))
            counted = [(sizes[kind], deepest) for kind, deepest in levels if isinstance(sizes.get(kind), list)]
            if (_UNENCODED in sizes and leaf.physical_type != "BYTE_ARRAY") or any(
                counts and len(counts) != deepest + 1 for counts, deepest in counted
            ):
                raise OSError("the size statistics of a column do not fit the schema")


def _structs(value: object) -> list[dict[int, object]]:
    return [one for one in value if type(one) is dict] if type(value) is list else []


def _pages(stream: IO[bytes], chunk: pq.ColumnChunkMetaData) -> Iterator[tuple[int, int]]:
    """Yield the unpacked bytes and the values of the pages of a column chunk.

    Raises:
        OSError: there is no page, or a page goes on beyond the file: a decoder would allocate the size that it states.
    """
    size = stream.seek(0, 2)
    at = chunk.data_page_offset
    if chunk.has_dictionary_page and chunk.dictionary_page_offset:
        at = min(at or chunk.dictionary_page_offset, chunk.dictionary_page_offset)  # 0: no page of data, as of no row
    end = at + chunk.total_compressed_size
    while at < end:
        stream.seek(at)
        head = stream.read(_HEAD)
        try:
            fields, length = _struct(head, 0, 0)
        except IndexError:  # with long statistics
            stream.seek(at)
            try:
                fields, length = _struct(stream.read(_LONG_HEAD), 0, 0)
            except IndexError:
                raise OSError("a page has no header") from None
        unpacked, packed = fields.get(2), fields.get(3)
        if type(unpacked) is not int or type(packed) is not int or unpacked < 0 or packed < 0:
            raise OSError("a page has no size")
        counts = [fields[kind] for kind in _VALUES_OF if isinstance(fields.get(kind), dict)]
        at += length + packed
        if at > size:
            raise OSError("a page goes on beyond the file")
        yield unpacked, max((one[1] for one in counts if type(one.get(1)) is int), default=0)


def _struct(data: bytes, at: int, depth: int) -> tuple[dict[int, Any], int]:
    """Return the fields of a structure by their numbers, and where it ends. Raises IndexError where the data end."""
    fields: dict[int, object] = {}
    field = 0
    if depth > _DEEPEST:
        raise OSError("a header is nested too deeply")
    while head := data[at]:
        at += 1
        kind = head & 15
        if head >> 4:
            field += head >> 4
        else:
            number, at = _varint(data, at)
            field = (number >> 1) ^ -(number & 1)
        fields[field], at = _value(data, at, kind, depth)
    return fields, at + 1


def _value(data: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in _BOOLEANS:
        return kind == 1, at
    if kind == _BYTE:
        return data[at], at + 1
    if kind in _NUMBERS:
        number, at = _varint(data, at)
        return (number >> 1) ^ -(number & 1), at
    if kind == _DOUBLE:
        if at + 8 > len(data):
            raise IndexError
        return None, at + 8
    if kind == _BINARY:
        size, at = _varint(data, at)
        if at + size > len(data):
            raise IndexError
        return None, at + size
    if kind == _STRUCT:
        return _struct(data, at, depth + 1)
    if kind in _LISTS:
        return _list(data, at, depth + 1)
    raise OSError("a header has a field of an unknown kind")


def _list(data: bytes, at: int, depth: int) -> tuple[list[object], int]:
    if depth > _DEEPEST:
        raise OSError("a header is nested too deeply")
    head = data[at]
    size, at = _varint(data, at + 1) if head >> 4 == 15 else (head >> 4, at + 1)
    values = []
    for _ in range(size):  # an element takes a byte or more, so the data end first
        value, at = (data[at], at + 1) if head & 15 in _BOOLEANS else _value(data, at, head & 15, depth)
        values.append(value)
    return values, at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at
        if shift > 63:
            raise OSError("a number in a header is too long")
