"""How are the rows of a Parquet file read?"""

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from authbench.errors import InputError
from authbench.ingest.files import RawFile
from authbench.ingest.rows import BadRow, Row

BATCH_ROWS = 64  # a row may be a whole book


def read(file: RawFile, options: Mapping[str, Any]) -> Iterator[Row | BadRow]:
    """The rows; only the columns named in `options["columns"]`, if the file has them all."""
    with file.open_seekable() as stream:
        try:
            with pq.ParquetFile(stream, memory_map=False) as parquet:
                wanted = set(options.get("columns", ()))
                columns = sorted(wanted) if wanted and wanted <= set(parquet.schema_arrow.names) else None
                for batch in parquet.iter_batches(batch_size=BATCH_ROWS, columns=columns):
                    yield from batch.to_pylist()
        except (pa.ArrowException, OSError) as error:
            raise InputError(
                f"{file.relative} is not a whole Parquet file ({str(error).strip()}); fetch it again."
            ) from error
