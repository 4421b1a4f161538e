"""Rows of Parquet files."""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from authbench.errors import InputError
from authbench.ingest.rows import EVERYTHING, BadRow, Block, Wanted, check_header
from authbench.registry.readers import ParquetReader
from authbench.storage.raw_files import RawFile

BATCH_BYTES = 8 << 20  # a row may be a whole book
BATCH_ROWS = 4096


def read(file: RawFile, options: ParquetReader, wanted: Wanted = EVERYTHING) -> Iterator[Block]:
    """Yield the rows, with the wanted columns only."""
    with file.open_seekable() as stream:
        try:
            with pq.ParquetFile(stream, pre_buffer=False, buffer_size=1 << 20) as parquet:
                check_header(file.relative, parquet.schema_arrow.names, wanted.needs)
                columns = sorted(set(wanted.columns or ()) & set(parquet.schema_arrow.names)) or None
                before = 0
                for group in range(parquet.num_row_groups):
                    stored = parquet.metadata.row_group(group)
                    fitting = BATCH_BYTES * stored.num_rows // max(1, stored.total_byte_size)
                    size = max(1, min(BATCH_ROWS, fitting))
                    for batch in parquet.iter_batches(batch_size=size, row_groups=[group], columns=columns):
                        yield _rows(batch, before)
                        before += batch.num_rows
        except (pa.ArrowException, OSError) as error:
            raise InputError(
                f"{file.relative} is not a whole Parquet file ({str(error).strip()}); fetch it again."
            ) from error


def _rows(batch: pa.RecordBatch, before: int) -> Block:
    """Return the rows of a batch; one with a value that Python cannot represent (text not in UTF-8) is a bad row."""
    names = batch.schema.names
    try:
        columns = [column.to_pylist() for column in _readable(batch)]
    except (ValueError, OverflowError) as error:  # pyarrow's errors are among them
        if batch.num_rows == 1:
            return [BadRow(f"row {before + 1}", str(error).strip())]
        return [row for place in range(batch.num_rows) for row in _rows(batch.slice(place, 1), before + place)]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _readable(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return the batch with text that is stored as bytes, and times (some are none of Python's), as text."""
    for place, field in enumerate(batch.schema):
        kind = field.type
        if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_timestamp(kind):
            batch = batch.set_column(place, field.name, batch.column(place).cast(pa.string()))
    return batch
