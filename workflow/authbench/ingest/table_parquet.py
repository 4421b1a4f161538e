"""How are the rows of a Parquet file read?"""

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from authbench.errors import InputError
from authbench.ingest.files import RawFile
from authbench.ingest.rows import BadRow, Row, check_header

BATCH_ROWS = 64  # a row may be a whole book


def read(file: RawFile, options: Mapping[str, Any]) -> Iterator[Row | BadRow]:
    """The rows; only those columns that `options["columns"]` names, if it is given."""
    with file.open_seekable() as stream:
        try:
            with pq.ParquetFile(stream, memory_map=False) as parquet:
                check_header(file.relative, parquet.schema_arrow.names, options)
                columns = sorted(set(options.get("columns", ())) & set(parquet.schema_arrow.names)) or None
                for batch in parquet.iter_batches(batch_size=BATCH_ROWS, columns=columns):
                    yield from batch.to_pylist()
        except (pa.ArrowException, OSError) as error:
            raise InputError(
                f"{file.relative} is not a whole Parquet file ({str(error).strip()}); fetch it again."
            ) from error
