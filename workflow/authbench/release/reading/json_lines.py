"""Read records of JSON Lines files."""

from collections.abc import Iterator

import orjson

from authbench.config.registry.readers import JsonLinesReader
from authbench.core.storage.exact_json import DoubledKey, loads_exactly, may_have_lost
from authbench.core.storage.raw_files import RawFile
from authbench.release.reading import rows
from authbench.release.reading.units import Units


@rows.counting("lines")
def read(file: RawFile, options: JsonLinesReader, wanted: rows.Wanted, units: Units) -> Iterator[rows.Block]:
    """Yield the object of each line; blank lines are skipped, and a line without an object is a bad row.

    A line of more than `max_record_bytes` bytes of UTF-8 is a bad row, too.
    """
    limit = file.max_record_bytes
    with file.open_text(options.encoding, newline="\n") as text:
        before = 0
        for lines in rows.utf8_lines(text, limit):
            block = _records(lines, before, limit, units)
            before += len(lines)
            units.found += len(lines)
            rows.count_rows(block, units)
            yield block


def _records(lines: list[bytes | None], before: int, limit: int, units: Units) -> rows.Block:
    block: rows.Block = []
    for number, line in enumerate(lines, before + 1):
        if line is None:
            block.append(rows.BadRow(f"line {number}", f"is longer than max_record_bytes ({limit})"))
            continue
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            if (text := line.decode()).strip():
                block.append(_unusual(f"{text}\n", number))
            else:
                units.blank += 1
        else:
            if may_have_lost(line, record):
                block.append(_unusual(line.decode(), number))
            else:
                block.append(_row(record, number, line.count(b"[") + line.count(b"{")))
    return block


def _unusual(line: str, number: int) -> rows.Row | rows.BadRow:
    """Return the row of a line with numbers beyond 64 bits, NaN or surrogate halves; duplicate keys make a bad row."""
    try:
        record = loads_exactly(line)
    except DoubledKey as key:
        return rows.BadRow(f"line {number}", str(key))
    except (ValueError, RecursionError) as error:
        return rows.BadRow(f"line {number}", f"invalid JSON: {error}")
    return _row(record, number, line.count("[") + line.count("{"))


def _row(record: object, number: int, brackets: int) -> rows.Row | rows.BadRow:
    if type(record) is not dict:
        return rows.BadRow(f"line {number}", "is not a JSON object")
    if brackets > rows.DEEPEST and rows.nested_deeper(record):
        return rows.BadRow(f"line {number}", f"is nested more than {rows.DEEPEST} deep")
    return record
