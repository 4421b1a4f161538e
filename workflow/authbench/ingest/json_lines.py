"""How are the records of a JSON lines file read?"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from authbench.ingest.files import RawFile
from authbench.ingest.rows import BadRow, Row


def read(file: RawFile, options: Mapping[str, Any]) -> Iterator[Row | BadRow]:
    """The object of each line; blank lines are passed over, a line that holds none is a bad row."""
    limit = file.max_record_bytes
    with file.open_text(options.get("encoding", "utf-8"), newline="\n") as text:
        for number, line in enumerate(iter(lambda: text.readline(limit + 1), ""), 1):
            if len(line) > limit:
                while line and not line.endswith("\n"):
                    line = text.readline(limit)
                yield BadRow(f"line {number}", f"is longer than max_record_bytes ({limit})")
            elif line.strip():
                yield _record(line, number)


def _record(line: str, number: int) -> Row | BadRow:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        try:  # NaN and halves of surrogate pairs, which are not JSON but are written
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            return BadRow(f"line {number}", f"invalid JSON: {error}")
    return record if isinstance(record, dict) else BadRow(f"line {number}", "is not a JSON object")
