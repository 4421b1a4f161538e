"""Read rows of Parquet files."""

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from authbench.config.registry.readers import ParquetReader
from authbench.core.arrays import I64
from authbench.core.errors import InputError
from authbench.core.storage.bounds import room, too_large
from authbench.core.storage.parquet_headers import expect_bounded
from authbench.core.storage.raw_files import FREE_EXPANSION, MAX_EXPANSION, RawFile
from authbench.release.reading.rows import BadRow, Block, Wanted, check_header, count_rows, counting
from authbench.release.reading.units import Units


def row_bytes(column: pa.Array) -> I64:
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
    sizes: I64 = np.diff(ends[starts])
    return sizes


BATCH_BYTES = 8 << 20  # a row may be an entire book
WORST_BYTES = 32 << 20  # maximum for a batch of texts
BATCH_ROWS = 4096
INEXACT = {pa.float16(): 1 << 11, pa.float32(): 1 << 24, pa.float64(): 1 << 53}  # larger integers lose digits
AS_THEY_ARE = (
    pa.types.is_null,
    pa.types.is_boolean,
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_decimal,
    pa.types.is_date,
    pa.types.is_time,
    pa.types.is_duration,
    pa.types.is_string,
    pa.types.is_large_string,
    lambda kind: isinstance(kind, pa.UuidType | pa.JsonType),
)
AS_TEXT = (
    pa.types.is_string_view,
    pa.types.is_binary,
    pa.types.is_large_binary,
    pa.types.is_fixed_size_binary,
    pa.types.is_binary_view,
    pa.types.is_timestamp,  # Python cannot represent some times
)


@counting("rows")
def read(file: RawFile, options: ParquetReader, wanted: Wanted, units: Units) -> Iterator[Block]:
    """Yield the rows with only the wanted columns.

    Memory: a batch of about BATCH_BYTES.

    Raises:
        InputError: the file is damaged, two of the columns share a name, a column does not hold text, numbers or times,
            or the file expands to more than MAX_EXPANSION times its size.
    """
    with _damage_told(file), file.open_seekable() as stream:
        with pq.ParquetFile(stream) as parquet:
            metadata, schema = parquet.metadata, _checked(file.relative, parquet.schema_arrow, wanted)
        stored = file.path.stat().st_size
        names = set(schema.names)
        expect_bounded(file.relative, stream, metadata, names, stored)
        before = given = 0
        units.found += metadata.num_rows
        with pq.ParquetFile(stream, metadata=metadata, pre_buffer=False, buffer_size=1 << 20) as parquet:
            for group in range(metadata.num_row_groups):
                size = _rows_at_once(file, stream, metadata, group, names)
                for batch in parquet.iter_batches(batch_size=size, row_groups=[group], columns=schema.names):
                    _refuse_lost_digits(file.relative, batch)
                    for block, letters in _parts(_rows(batch, schema, before)):
                        given += letters
                        if given > max(FREE_EXPANSION, MAX_EXPANSION * stored):
                            raise InputError(
                                f"{file.relative} grows to more than {MAX_EXPANSION} times its size when it is "
                                "decoded; it looks like a decompression bomb and is not read further."
                            )
                        count_rows(block, units)
                        yield block
                    before += batch.num_rows
        if before != metadata.num_rows:
            raise InputError(
                f"{file.relative} is damaged: it says that it has {metadata.num_rows} rows, and has {before}; fetch it "
                "again."
            )


@contextmanager
def _damage_told(file: RawFile) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:  # the last: from a column name
        raise InputError(
            f"{file.relative} is not a whole Parquet file ({str(error).strip()}); fetch it again."
        ) from error


def names_of(file: RawFile) -> list[str]:
    """Return the names of the columns. Raises InputError as `read`."""
    with _damage_told(file), file.open_seekable() as stream, pq.ParquetFile(stream) as parquet:
        return list(parquet.schema_arrow.names)


def _rows_at_once(file: RawFile, stream: IO[bytes], metadata: Any, group: int, names: Collection[str]) -> int:
    """Return how many rows of a group are decoded at once: about BATCH_BYTES, and not many times more at worst.

    A text shared by many rows is stored once, so the worst case is that all rows have the longest such text. Of a
    nested column a row can have it many times, so the texts of its rows are added up.

    Raises:
        InputError: a row takes more than the room of the file.
    """
    stored = metadata.row_group(group)
    size = max(1, min(BATCH_ROWS, BATCH_BYTES * int(stored.num_rows) // max(1, int(stored.total_byte_size))))
    repeated = [
        chunk.path_in_schema
        for chunk in map(stored.column, range(stored.num_columns))
        if chunk.physical_type == "BYTE_ARRAY"
        and chunk.has_dictionary_page
        and (chunk.path_in_schema in names or chunk.path_in_schema.partition(".")[0] in names)
    ]
    if repeated and stored.num_rows:
        with pq.ParquetFile(stream, metadata=metadata, pre_buffer=False, read_dictionary=repeated) as parquet:
            first = next(parquet.iter_batches(batch_size=1, row_groups=[group], columns=repeated), None)
        for column in first.columns if first else ():
            if pa.types.is_dictionary(column.type) and len(column.dictionary):
                longest: int = pc.max(pc.binary_length(column.dictionary)).as_py() or 0
                size = max(1, min(size, WORST_BYTES // max(1, longest)))
    if nested := [path for path in repeated if path not in names]:
        most, allowed = 0, file.path.stat().st_size
        with pq.ParquetFile(stream, metadata=metadata, pre_buffer=False, read_dictionary=nested) as parquet:
            for batch in parquet.iter_batches(batch_size=BATCH_ROWS, row_groups=[group], columns=nested):
                most = max(most, *(int(row_bytes(column).max(initial=0)) for column in batch.columns))
        if most > room(allowed):
            raise too_large(file.relative, allowed)
        size = max(1, min(size, WORST_BYTES // max(1, most)))
    return size


def _parts(block: Block) -> Iterator[tuple[Block, int]]:
    """Yield a block in parts of about BATCH_BYTES, each with its number of letters."""
    sizes = [sum(map(_letters, row.values())) if type(row) is dict else 0 for row in block]
    start = letters = 0
    for end, size in enumerate(sizes, 1):
        letters += size
        if letters > BATCH_BYTES or end == len(block):
            yield block[start:end], letters
            start, letters = end, 0


def _letters(value: Any) -> int:
    return len(value) if type(value) in (str, list, dict) else 1


def _checked(relative: str, schema: pa.Schema, wanted: Wanted) -> pa.Schema:
    """Return the wanted columns of a file with the types used for reading."""
    check_header(relative, schema.names, wanted.needs)
    columns = set(wanted.columns or ()) & set(schema.names) or set(schema.names)
    repeated = sorted(name for name, number in Counter(schema.names).items() if number > 1 and name in columns)
    if repeated:
        raise InputError(f"{relative}: the file has the column {', '.join(map(repr, repeated))} more than once.")
    fields = []
    for field in schema:
        if field.name in columns:
            kind = _readable(field.type)
            if kind is None:
                raise InputError(
                    f"{relative}: the column {field.name!r} is of the type {field.type}, which is not read. Expected "
                    "text, numbers, times, or lists, structures and maps of these; convert the column."
                )
            fields.append(pa.field(field.name, kind))
    return pa.schema(fields)


def _readable(kind: pa.DataType) -> pa.DataType | None:
    """Return the type for reading: bytes and times as text, dictionaries as their values; None if unsupported.

    >>> _readable(pa.map_(pa.string(), pa.list_(pa.binary(2))))
    MapType(map<string, list<item: string>>)
    """
    if any(is_one(kind) for is_one in AS_THEY_ARE):
        return kind
    if any(is_one(kind) for is_one in AS_TEXT):
        return pa.string()
    if pa.types.is_dictionary(kind):
        return _readable(kind.value_type)
    if pa.types.is_struct(kind):
        inner = {field.name: _readable(field.type) for field in kind}
        return None if None in inner.values() or len(inner) < kind.num_fields else pa.struct(list(inner.items()))
    if pa.types.is_map(kind):
        key, item = _readable(kind.key_type), _readable(kind.item_type)
        return None if key is None or item is None else pa.map_(key, item)
    if pa.types.is_fixed_size_list(kind):
        item = _readable(kind.value_type)
        return None if item is None else pa.list_(item, kind.list_size)
    for is_list, make in ((pa.types.is_list, pa.list_), (pa.types.is_large_list, pa.large_list)):
        if is_list(kind):
            item = _readable(kind.value_type)
            return None if item is None else make(item)
    return None


def _refuse_lost_digits(relative: str, batch: pa.RecordBatch) -> None:
    """Raise InputError for a floating-point column with integers too large to be exact."""
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if column.type in INEXACT:
            values = column.cast(pa.float64())
            large = pc.and_(pc.is_finite(values), pc.greater_equal(pc.abs(values), INEXACT[column.type]))
            if pc.any(large).as_py():
                first = values.filter(large)[0].as_py()
                raise InputError(
                    f"{relative}: the column {name!r} is of the type {column.type} and holds {first:.17g}, a number so "
                    "large that its last digits are lost: different ids can have become one. Store whole numbers as "
                    "integers or as text."
                )


def _rows(batch: pa.RecordBatch, schema: pa.Schema, before: int) -> Block:
    """Return the rows of a batch; a value that Python cannot represent (text not in UTF-8) makes a bad row."""
    names = batch.schema.names
    try:
        columns = [
            (column if column.type == (kind := schema.field(name).type) else column.cast(kind)).to_pylist(
                maps_as_pydicts="strict"
            )
            for name, column in zip(names, batch.columns, strict=True)
        ]
    except (ValueError, KeyError, OverflowError) as error:  # includes pyarrow's errors
        if batch.num_rows == 1:
            return [BadRow(f"row {before + 1}", str(error).strip())]
        return [row for place in range(batch.num_rows) for row in _rows(batch.slice(place, 1), schema, before + place)]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
