"""Read the first rows of a file on a host as a stream, and write them as a file of the same form.

Only what holds these rows is transferred: row groups of a Parquet file, and blocks of JSON lines.
"""

import gzip
import io
from collections.abc import Mapping
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, cast

import pyarrow as pa
import pyarrow.parquet as pq
import requests
from fsspec.spec import AbstractBufferedFile

from authbench.build.acquire.transfer import TIMEOUT, Passing, Pause, patiently, refuse, shown
from authbench.core.errors import InputError, first_line

BLOCK = 1 << 20
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


def write_first_rows(stream: BinaryIO, name: str, target: Path, rows: int) -> int:
    """Write the first rows of a file with this name, and return their number. Memory: a row group.

    Raises:
        InputError: the file is damaged, or has a form that cannot be read from its beginning.
    """
    try:
        if name.endswith(".parquet"):
            return _parquet(stream, target, rows)
        if name.endswith(_LINES):
            return _lines(stream, target, rows, name.endswith(".gz"))
    except (pa.ArrowInvalid, EOFError, gzip.BadGzipFile, OSError) as problem:
        if isinstance(problem, OSError) and problem.errno is not None:
            raise
        raise InputError(f"{name}: cannot be read as a stream: {first_line(problem)}") from None
    raise InputError(
        f"{name}: rows are read as a stream of {', '.join(STREAMED)} only; limit acquire.share or acquire.bytes"
    )


def _parquet(stream: BinaryIO, target: Path, rows: int) -> int:
    taken = 0
    with (
        pq.ParquetFile(stream) as file,
        pq.ParquetWriter(target, file.schema_arrow, compression="zstd") as out,
    ):
        for number in range(file.num_row_groups):
            if taken == rows:
                break
            group = file.read_row_group(number).slice(0, rows - taken)
            out.write_table(group)
            taken += group.num_rows
    return taken


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
