"""Rows of Parquet files."""

from collections import Counter
from collections.abc import Collection, Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from authbench.errors import InputError
from authbench.reading.rows import EVERYTHING, BadRow, Block, Wanted, check_header, count_rows
from authbench.reading.units import Units
from authbench.registry.readers import ParquetReader
from authbench.storage.raw_files import RawFile

BATCH_BYTES = 8 << 20  # a row may be a whole book
BATCH_ROWS = 4096
INEXACT = {pa.float16(): 1 << 11, pa.float32(): 1 << 24, pa.float64(): 1 << 53}  # larger whole numbers lose digits
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
    pa.types.is_timestamp,  # some times are none of Python's
)


def read(
    file: RawFile, options: ParquetReader, wanted: Wanted = EVERYTHING, units: Units | None = None
) -> Iterator[Block]:
    """Yield the rows, with the wanted columns only.

    Raises:
        InputError: the file is damaged, two of the columns have one name, or one holds no text, numbers or times.
    """
    units = Units() if units is None else units
    units.unit = "rows"
    with file.open_seekable() as stream:
        try:
            with pq.ParquetFile(stream, pre_buffer=False, buffer_size=1 << 20) as parquet:
                schema = _checked(file.relative, parquet.schema_arrow, wanted)
                before = 0
                units.found += parquet.metadata.num_rows
                for group in range(parquet.num_row_groups):
                    stored = parquet.metadata.row_group(group)
                    fitting = BATCH_BYTES * stored.num_rows // max(1, stored.total_byte_size)
                    size = max(1, min(BATCH_ROWS, fitting))
                    for batch in parquet.iter_batches(batch_size=size, row_groups=[group], columns=schema.names):
                        _refuse_lost_digits(file.relative, batch)
                        block = _rows(batch, schema, before)
                        before += batch.num_rows
                        count_rows(block, units)
                        yield block
                if before != parquet.metadata.num_rows:
                    raise InputError(
                        f"{file.relative} is damaged: it says that it has {parquet.metadata.num_rows} rows, and has "
                        f"{before}; fetch it again."
                    )
        except (pa.ArrowException, OSError) as error:
            raise InputError(
                f"{file.relative} is not a whole Parquet file ({str(error).strip()}); fetch it again."
            ) from error
    units.check(file.relative)


def _checked(relative: str, schema: pa.Schema, wanted: Wanted) -> pa.Schema:
    """Return the wanted columns of a file with the types in which they are read."""
    check_header(relative, schema.names, wanted.needs)
    columns: Collection[str] = set(wanted.columns or ()) & set(schema.names) or schema.names
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
    """Return the type in which values are read: bytes and times as text, dictionaries as their values; None for others.

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
    """Raise InputError for a column of floating-point numbers with larger whole numbers than it can tell apart."""
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
    """Return the rows of a batch; one with a value that Python cannot represent (text not in UTF-8) is a bad row."""
    names = batch.schema.names
    try:
        columns = [
            (column if column.type == (kind := schema.field(name).type) else column.cast(kind)).to_pylist(
                maps_as_pydicts="strict"
            )
            for name, column in zip(names, batch.columns, strict=True)
        ]
    except (ValueError, KeyError, OverflowError) as error:  # pyarrow's errors are among them
        if batch.num_rows == 1:
            return [BadRow(f"row {before + 1}", str(error).strip())]
        return [row for place in range(batch.num_rows) for row in _rows(batch.slice(place, 1), schema, before + place)]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
