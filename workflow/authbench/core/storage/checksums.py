"""Add and verify checksums of the Parquet and JSON files that stages exchange.

A file may change between two stages, and a text with a flipped bit is still a text. Therefore every such file has
checksums, and every reader verifies what it reads. They are CRC-32: every change within four neighbouring bytes is
found, and all but 1 in four thousand million of other changes.

A Parquet file may hold any bytes before its footer, and only the footer locates the pages; other readers are therefore
unaffected. Those bytes are the checksums of each column of each row group, then a checksum of these and of the footer.
A JSON object holds its checksum under a separate key.
"""

import json
import re
import struct
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from authbench.core.errors import InputError

MARK = b"authbench crc32\n"
KEY = "crc32"
_IN_JSON = re.compile(rb'(?<=\n  "crc32": ")[0-9a-f]{8}(?=")')
_NUMBERS = struct.Struct("<II")  # the number of preceding checksums, and the checksum of these and the footer
_TAIL = struct.Struct("<I4s")  # the end of every Parquet file: the length of the footer proper, "PAR1"
_PIECE = 1 << 20


@dataclass(frozen=True)
class Chunk:
    """Hold the bytes [start, stop) of a column of a row group, with their checksum.

    The column is a path, such as `content` or `signature.list.element`.
    """

    group: int
    column: str
    start: int
    stop: int
    crc32: int = 0


def add_checksums(path: Path) -> None:
    """Add checksums to a finished Parquet file, read once in blocks of a MiB."""
    with path.open("r+b") as file:
        footer, end = _footer(file)
        chunks = _chunks(_metadata(footer), end)
        sums = struct.pack(f"<{len(chunks)}I", *(_crc32(file, chunk) for chunk in chunks))
        file.seek(end)
        file.write(sums + _NUMBERS.pack(len(chunks), _crc32_of_footer(sums, footer)) + MARK + footer)


def read_checksums(file: BinaryIO) -> list[Chunk]:
    """Return the column chunks of a Parquet file with checksums; only its footer is read and verified.

    Raises:
        InputError: the footer was changed, or there are no checksums.
    """
    footer, end = _footer(file)
    if _read(file, end - len(MARK), len(MARK)) != MARK:
        raise damaged(file.name, "it has no checksums before its footer")
    end -= len(MARK) + _NUMBERS.size
    number, expected = _NUMBERS.unpack(_read(file, end, _NUMBERS.size))
    end -= 4 * number
    sums = _read(file, end, 4 * number)
    if len(sums) != 4 * number or _crc32_of_footer(sums, footer) != expected:
        raise damaged(file.name, "its footer has changed")
    crcs = struct.unpack(f"<{number}I", sums)
    return [replace(chunk, crc32=crc) for chunk, crc in zip(_chunks(_metadata(footer), end), crcs, strict=True)]


def check_chunks(file: BinaryIO, chunks: Iterable[Chunk]) -> None:
    """Verify the bytes of the chunks, read in blocks of a MiB.

    Raises:
        InputError: the bytes of a chunk were changed.
    """
    for chunk in chunks:
        if _crc32(file, chunk) != chunk.crc32:
            raise damaged(file.name, f"column {chunk.column} of row group {chunk.group} has changed")


def json_with_checksum(value: Mapping[str, object]) -> str:
    """Return the object as JSON, keys sorted, with the checksum of the text (its eight digits taken as zeros)."""
    text = json.dumps({**value, KEY: "0" * 8}, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    return _IN_JSON.sub(b"%08x" % zlib.crc32(text.encode()), text.encode(), count=1).decode()


def parse_checked_json(content: bytes, path: str | Path) -> dict[str, object]:
    """Return the object in the bytes of a JSON file with a checksum, without the checksum.

    Raises:
        InputError: the text was changed, or has no checksum.
    """
    written = _IN_JSON.search(content)
    if written is None:
        raise damaged(path, f"it has no checksum under the key {KEY}")
    if zlib.crc32(_IN_JSON.sub(b"0" * 8, content, count=1)) != int(written[0], 16):
        raise damaged(path, "its text has changed")
    value: dict[str, object] = json.loads(content)
    del value[KEY]
    return value


def damaged(path: str | Path, how: str) -> InputError:
    return InputError(
        f"{path} is not as it was written: {how}. Delete it and run again; the stage that makes it makes it anew, "
        "and all that follows."
    )


def _footer(file: BinaryIO) -> tuple[bytes, int]:
    """Return the footer with the length and the mark that follow it, and its offset."""
    size = file.seek(0, 2)
    tail = _read(file, size - _TAIL.size, _TAIL.size)
    length, mark = _TAIL.unpack(tail) if len(tail) == _TAIL.size else (0, b"")
    start = size - _TAIL.size - length
    if mark != b"PAR1" or start < 4:
        raise damaged(file.name, "the end of the file is missing" if mark != b"PAR1" else "its footer has changed")
    return _read(file, start, length) + tail, start


def _metadata(footer: bytes) -> pq.FileMetaData:
    return pq.read_metadata(pa.BufferReader(b"PAR1" + footer))


def _chunks(metadata: pq.FileMetaData, end: int) -> list[Chunk]:
    """Return the column chunks in the order of their bytes.

    Each extends to the next, hence together they cover the file from its first byte to `end`.
    """
    if not metadata.num_row_groups:
        return []
    found = []
    for group in range(metadata.num_row_groups):
        columns = metadata.row_group(group)
        for number in range(columns.num_columns):
            column = columns.column(number)
            start = column.dictionary_page_offset or column.data_page_offset
            found.append((start, group, column.path_in_schema))
    found.sort()
    starts = [0, *(start for start, _, _ in found[1:]), end]
    return [
        Chunk(group, column, start, stop)
        for (_, group, column), start, stop in zip(found, starts, starts[1:], strict=False)
    ]


def _crc32(file: BinaryIO, chunk: Chunk) -> int:
    file.seek(chunk.start)
    left, crc = chunk.stop - chunk.start, 0
    while left > 0 and (piece := file.read(min(left, _PIECE))):
        crc, left = zlib.crc32(piece, crc), left - len(piece)
    return crc


def _crc32_of_footer(sums: bytes, footer: bytes) -> int:
    return zlib.crc32(footer, zlib.crc32(sums))


def _read(file: BinaryIO, start: int, length: int) -> bytes:
    """Return bytes of the file, fewer at its end."""
    file.seek(max(start, 0))
    return file.read(length if start >= 0 else 0)
