"""Records of JSON Lines files."""

import codecs
import io
import json
from collections.abc import Callable, Iterator
from typing import Any

import orjson

from authbench.ingest.lines import bounded_lines
from authbench.ingest.rows import DEEPEST, EVERYTHING, BadRow, Block, Row, Wanted, nested_deeper
from authbench.registry.readers import JsonLinesReader
from authbench.storage.raw_files import RawFile


def read(file: RawFile, options: JsonLinesReader, wanted: Wanted = EVERYTHING) -> Iterator[Block]:
    """Yield the object of each line; blank lines are passed over, a line that holds none is a bad row.

    So is a line of more than `max_record_bytes` bytes of UTF-8.
    """
    limit = file.max_record_bytes
    with file.open_text(options.encoding, newline="\n") as text:
        before = 0
        for lines in bounded_lines(_utf8(text), lambda piece: piece.split(b"\n"), limit):
            yield _records(lines, before, limit)
            before += len(lines)


def _utf8(text: io.TextIOWrapper) -> Callable[[int], bytes]:
    """Return what reads on in the text, as UTF-8; what is declared as UTF-8 is not decoded, as the parser does that."""
    if codecs.lookup(text.encoding).name == "utf-8":
        return text.buffer.read  # type: ignore[return-value]
    return lambda size: text.read(size).encode()


def _records(lines: list[bytes | None], before: int, limit: int) -> Block:
    block: Block = []
    for number, line in enumerate(lines, before + 1):
        if line is None:
            block.append(BadRow(f"line {number}", f"is longer than max_record_bytes ({limit})"))
            continue
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            if (text := line.decode()).strip():
                block.append(_unusual(f"{text}\n", number))
        else:
            block.append(_row(record, number, line.count(b"[") + line.count(b"{")))
    return block


def _unusual(line: str, number: int) -> Row | BadRow:
    """Return what holds NaN or halves of surrogate pairs, which are not JSON but are written."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        return BadRow(f"line {number}", f"invalid JSON: {error}")
    return _row(record, number, line.count("[") + line.count("{"))


def _row(record: Any, number: int, brackets: int) -> Row | BadRow:
    if type(record) is not dict:
        return BadRow(f"line {number}", "is not a JSON object")
    if brackets > DEEPEST and nested_deeper(record):
        return BadRow(f"line {number}", f"is nested more than {DEEPEST} deep")
    return record
