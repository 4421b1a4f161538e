"""Read JSON lines in batches with line numbers, and write them atomically."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

from authbench.core.errors import InputError
from authbench.core.json_values import JsonObject
from authbench.core.storage.atomic import atomic_file
from authbench.core.storage.exact_json import loads_exactly, may_have_lost

BATCH_BYTES = 4 << 20
_NO_NUMBER = re.compile(rb"[:\[,]\s*(-?(?:NaN|Infinity))\s*[,\]}]")  # as Python writes them
_OTHER = {
    b"\x1f\x8b": "compressed (gzip)",
    b"\x28\xb5\x2f\xfd": "compressed (Zstandard)",
    b"PK": "a zip archive",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}  # first bytes of a file
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def line_batches(path: Path, batch_bytes: int | None = None) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the lines of a file in batches, each with the number (from 1) of its first line.

    Args:
        batch_bytes: the approximate size of a batch, by default BATCH_BYTES.

    Raises:
        InputError: the file is missing or cannot be read.
    """
    first = 1
    try:
        with path.open("rb") as file:
            while lines := file.readlines(batch_bytes or BATCH_BYTES):
                if first == 1:
                    lines[0] = lines[0].removeprefix(_BYTE_ORDER_MARK)
                yield first, lines
                first += len(lines)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file. Expected JSON lines.") from None
    except OSError as problem:
        raise InputError(f"{path}: cannot be read: {problem.strerror}") from None


def value_batches(path: Path, batch_bytes: int | None = None) -> Iterator[tuple[int, list[Any]]]:
    """Yield the JSON values of a file in batches, each with the number of its first line.

    Raises:
        InputError: the file cannot be read, or a line (its number is reported) is not JSON in UTF-8 or has a duplicate
            key.
    """
    for first, lines in line_batches(path, batch_bytes):
        try:
            values = list(map(orjson.loads, lines))
        except orjson.JSONDecodeError:
            raise InputError(_first_problem(path, first, lines)) from None
        for place, (line, value) in enumerate(zip(lines, values, strict=True)):
            if may_have_lost(line, value):
                values[place] = _exactly(path, first + place, line)
        yield first, values


def read_objects(path: Path) -> Iterator[tuple[int, JsonObject]]:
    """Yield each JSON object of a file with its line number.

    Raises:
        InputError: as `value_batches`, or a line holds another JSON value.
    """
    for first, values in value_batches(path):
        for number, value in enumerate(values, start=first):
            if not isinstance(value, dict):
                raise InputError(f"{path}, line {number}: is not an object. Expected one JSON object a line.")
            yield number, value


def write_json_lines(path: Path, rows: Iterable[Any]) -> None:
    """Write a JSON value per line, in UTF-8 without spaces; the file appears complete or not at all."""
    with atomic_file(path) as aside, aside.open("wb") as file:
        file.writelines(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)


def _exactly(path: Path, number: int, line: bytes) -> object:
    try:
        return loads_exactly(line)
    except (ValueError, RecursionError) as problem:
        raise InputError(f"{path}, line {number}: {problem}. Expected one JSON object a line.") from None


def _first_problem(path: Path, first: int, lines: list[bytes]) -> str:
    for number, line in enumerate(lines, start=first):
        try:
            orjson.loads(line)
        except orjson.JSONDecodeError as problem:
            return f"{path}, line {number}: {_reason(line, problem)}"
    raise AssertionError("every line is JSON")


def _reason(line: bytes, problem: orjson.JSONDecodeError) -> str:
    if line.startswith(_BYTE_ORDER_MARK):
        return "begins with a byte order mark, which only a file may. Expected plain UTF-8; save it without."
    if kind := next((kind for mark, kind in _OTHER.items() if line.startswith(mark)), None):
        return f"is {kind}. Expected JSON lines in UTF-8; unpack it, or save it so."
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as wrong:
        return f"not UTF-8: byte {wrong.start + 1} is 0x{line[wrong.start]:02x}. Expected JSON lines in UTF-8."
    if found := _NO_NUMBER.search(line):
        return f"has {found[1].decode()}, which is no number of JSON. Expected one JSON object a line."
    if b"\r" in line.strip():
        return "its lines end in CR alone. Expected JSON lines; save it with line ends of LF or CRLF."
    if not line.strip():
        return "empty. Expected one JSON object a line."
    return f"not JSON: {problem}. Expected one JSON object a line."
