"""Read some rows of a file on a host as a stream, and write them as a file of the same form.

Only what holds these rows is transferred: pages of a Parquet file, and blocks of JSON lines.
"""

import gzip
import io
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from itertools import accumulate, islice
from pathlib import Path
from typing import Any, BinaryIO, cast

import pyarrow as pa
import pyarrow.parquet as pq
import requests
from fsspec.spec import AbstractBufferedFile

from authbench.build.acquire.transfer import TIMEOUT, Passing, Pause, patiently, refuse, shown
from authbench.core.errors import InputError, first_line

BLOCK = 1 << 20
BATCH = 100  # rows of a Parquet file that are decoded at a time
HELD = 16 << 20  # bytes of them that are written as a row group
LONGEST_LINE = 64 << 20
_LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
STREAMED = (".parquet", *_LINES)  # endings of files that are read from their beginning


def open_ranges(url: str, size: int, headers: Mapping[str, str], pause: Pause) -> BinaryIO:
    """Open a file of `size` bytes on a host that sends ranges; the headers go to no other host."""
    return cast(BinaryIO, _Ranges(url, size, headers, pause))


class _Ranges(AbstractBufferedFile):  # type: ignore[misc]
    """A file that fetches the blocks that are read."""

    def __init__(self, url: str, size: int, headers: Mapping[str, str], pause: Pause) -> None:
        super().__init__(None, url, "rb", BLOCK, "readahead", size=size)
        self.headers, self.pause, self.session = headers, pause, requests.Session()

    def _fetch_range(self, start: int, end: int) -> bytes:
        return patiently(lambda: self._ask(start, end), shown(self.path), pause=self.pause)

    def _ask(self, start: int, end: int) -> bytes:
        wanted = {**self.headers, "Range": f"bytes={start}-{end - 1}", "Accept-Encoding": "identity"}
        try:
            with self.session.get(self.path, headers=wanted, timeout=TIMEOUT, stream=True) as answer:
                refuse(answer.status_code, answer.headers.get("Retry-After"), self.path)
                if answer.status_code != requests.codes.partial_content:
                    raise InputError(
                        f"{shown(self.path)}: the host sends no ranges, so rows cannot be read as a stream"
                    )
                came = b"".join(islice(answer.iter_content(end - start), 1))
        except requests.RequestException as problem:
            raise Passing(f"the line broke ({type(problem).__name__})") from problem
        if len(came) != end - start:
            raise Passing(f"{len(came):,} of {end - start:,} bytes came")
        return came

    def close(self) -> None:
        self.session.close()
        super().close()


def write_first_rows(stream: BinaryIO, name: str, target: Path, rows: int, places: int = 1) -> int:
    """Write the first rows of a file with this name, and return their number. Memory: a block.

    Args:
        places: of a Parquet file: the first rows of so many equal parts, if it has as many row groups.

    Raises:
        InputError: the file is damaged, or has a form that cannot be read from its beginning.
    """
    with _readable(name):
        if name.endswith(".parquet"):
            return _parquet(stream, target, rows, places)
        if name.endswith(_LINES):
            return _lines(stream, target, rows, name.endswith(".gz"))
    raise InputError(
        f"{name}: rows are read as a stream of {', '.join(STREAMED)} only; limit acquire.share or acquire.bytes"
    )


def count_rows(stream: BinaryIO, name: str) -> int:
    """Return the rows of a Parquet file with this name. Raises InputError if it is damaged."""
    with _readable(name), pq.ParquetFile(stream) as file:
        return int(file.metadata.num_rows)


@contextmanager
def _readable(name: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, EOFError, zlib.error, OSError) as problem:
        if isinstance(problem, OSError) and problem.errno is not None:
            raise
        raise InputError(f"{name}: cannot be read as a stream: {first_line(problem)}") from None


def _parquet(stream: BinaryIO, target: Path, rows: int, places: int) -> int:
    held: list[pa.RecordBatch] = []
    taken = size = 0
    with (
        pq.ParquetFile(stream, buffer_size=BLOCK, pre_buffer=False) as file,  # else row groups come as a whole
        pq.ParquetWriter(target, file.schema_arrow, compression="zstd") as out,
    ):
        for batch in _batches(file, rows, places):
            held.append(batch)
            taken, size = taken + batch.num_rows, size + batch.nbytes
            if size >= HELD:
                out.write_table(pa.Table.from_batches(held))
                held, size = [], 0
        if held:
            out.write_table(pa.Table.from_batches(held))
    return taken


def _batches(file: pq.ParquetFile, rows: int, places: int) -> Iterator[pa.RecordBatch]:
    """Yield rows, at each place in proportion to its part."""
    sizes = [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)]
    offsets = [0, *accumulate(sizes)]
    places, rows = max(min(places, len(sizes)), 1), min(rows, offsets[-1])
    bounds = [place * len(sizes) // places for place in range(places + 1)]  # row groups
    ends = [rows * offsets[bound] // max(offsets[-1], 1) for bound in bounds]
    for place in range(places):
        left = ends[place + 1] - ends[place]
        groups = range(bounds[place], bounds[place + 1])  # one after the other: together they come column by column
        batches = (batch for group in groups for batch in file.iter_batches(min(BATCH, left), row_groups=[group]))
        while left and (batch := next(batches, None)) is not None:
            yield batch.slice(0, left)
            left -= min(batch.num_rows, left)


def _lines(stream: BinaryIO, target: Path, rows: int, packed: bool) -> int:
    taken = 0
    lines: Any = gzip.GzipFile(fileobj=stream) if packed else io.BufferedReader(cast(io.RawIOBase, stream))
    with (
        target.open("wb") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=0) if packed else nullcontext(file) as out,
    ):
        while taken < rows and (line := lines.readline(LONGEST_LINE)):
            if len(line) == LONGEST_LINE:
                raise InputError(f"a line is longer than {LONGEST_LINE:,} bytes")
            out.write(line)
            taken += bool(line.strip())
    return taken
