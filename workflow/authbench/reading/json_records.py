"""Read records of JSON documents.

An array or object of records is decoded record by record; the file may be larger than memory.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import IO, Any

from authbench.errors import InputError
from authbench.reading.rows import DEEPEST, EVERYTHING, BadRow, Block, Sized, Wanted, in_blocks, nested_deeper
from authbench.reading.units import Units
from authbench.reading.works import joined
from authbench.registry.readers import Encoding, JsonReader
from authbench.storage.exact_json import distinct, loads_exactly
from authbench.storage.raw_files import CHUNK, RawFile

SPACE = re.compile(r"[ \t\r\n]*")


def read(
    file: RawFile, options: JsonReader, wanted: Wanted = EVERYTHING, units: Units | None = None
) -> Iterator[Block]:
    """Yield the records of an array, of an object (their key is the field `key`), or the file as one record.

    `expand` names a field that contains records: each becomes a row, with the enclosing record (without that field) as
    its field `parent`. `group` joins the records of one work: their `text` values are sorted by the numbers in their
    keys, else keep file order; other fields come from the first record.
    """
    units = Units() if units is None else units
    units.unit = "elements"
    rows = _records(file, options.records, options.encoding)
    if options.expand is not None:
        rows = _expanded(rows, options.expand, units)
    rows = _counted(rows, units)
    if options.group is not None:
        rows = joined(rows, options.group, file.max_record_bytes)
    yield from in_blocks(rows)
    units.check(file.relative)


def _counted(rows: Iterable[Sized], units: Units) -> Iterator[Sized]:
    """Yield the rows, counting good and bad records."""
    for row, size in rows:
        units.found += 1
        units.bad += (bad := isinstance(row, BadRow))
        units.records += not bad
        yield row, size


def _records(file: RawFile, shape: str, encoding: Encoding) -> Iterator[Sized]:
    with file.open_text(encoding, newline="\n") as text:
        if shape == "file":
            found: Iterator[tuple[str | None, Any, int, int]] = iter([(None, _whole(file, text), 1, 0)])
        else:
            found = _elements(file, text, keyed=shape == "object")
        for key, record, line, size in found:
            if size > file.max_record_bytes:
                yield BadRow(f"line {line}", f"is longer than max_record_bytes ({file.max_record_bytes})"), 0
            elif not isinstance(record, dict):
                yield BadRow(f"line {line}", "is not a JSON object"), 0
            elif nested_deeper(record):
                yield BadRow(f"line {line}", f"is nested more than {DEEPEST} deep"), 0
            else:
                yield record if key is None else {"key": key, **record}, size


def _whole(file: RawFile, text: IO[str]) -> Any:
    content = text.read(file.max_record_bytes + 1)
    if len(content) > file.max_record_bytes:
        raise InputError(f"{file.relative}: the record is longer than max_record_bytes ({file.max_record_bytes}).")
    try:
        return loads_exactly(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file.relative}: invalid JSON: {error}; fetch the file again.") from error


class _Window:
    """The part of the text being decoded, and its position in the file."""

    def __init__(self, file: RawFile, text: IO[str]) -> None:
        self.file, self.text = file, text
        self.held, self.place, self.ended = "", 0, False
        self.line, self.counted, self.size = 1, 0, 0

    def more(self) -> bool:
        """Drop the decoded part and read on; return False at the end of the file."""
        self.at()
        block = "" if self.ended else self.text.read(max(CHUNK, len(self.held) - self.place))
        self.ended = not block
        self.held, self.place, self.counted = self.held[self.place :] + block, 0, 0
        return not self.ended

    def at(self) -> int:
        """Return the line of the file."""
        self.line += self.held.count("\n", self.counted, self.place)
        self.counted = self.place
        return self.line

    def peek(self) -> str:
        """Return the next non-space character; empty at the end of the file."""
        while True:
            self.place = SPACE.match(self.held, self.place).end()  # type: ignore[union-attr]
            if self.place < len(self.held):
                return self.held[self.place]
            if not self.more():
                return ""

    def expect(self, wanted: str) -> str:
        found = self.peek()
        if not found or found not in wanted:
            self.fail(f"expected {' or '.join(wanted)}, found {found!r}" if found else "the file ends too early")
        self.place += 1
        return found

    def value(self) -> Any:
        self.peek()
        while True:
            try:
                found, end = DECODER.raw_decode(self.held, self.place)
            except RecursionError:
                self.fail("lists and objects are nested too deeply")
            except ValueError as error:
                if not isinstance(error, json.JSONDecodeError):  # a number of thousands of digits
                    self.fail(str(error).partition(";")[0])
                if len(self.held) - self.place > 4 * self.file.max_record_bytes:
                    self.fail(f"a record is much longer than max_record_bytes ({self.file.max_record_bytes})")
                if not self.more():
                    self.fail(str(error).partition(":")[0])
                continue
            if end < len(self.held) or not self.more():  # a number may continue in the next block
                self.size, self.place = end - self.place, end
                return found

    def fail(self, what: str) -> None:
        raise InputError(f"{self.file.relative}: invalid JSON on line {self.at()}: {what}; fetch the file again.")


DECODER = json.JSONDecoder(object_pairs_hook=distinct)


def _elements(file: RawFile, text: IO[str], keyed: bool) -> Iterator[tuple[str | None, Any, int, int]]:
    """Yield key, value, line and length of each element."""
    window = _Window(file, text)
    opening, closing = ("{", "}") if keyed else ("[", "]")
    if window.peek() != opening:
        shape = "an object" if keyed else "an array"
        raise InputError(
            f"{file.relative}: expected {shape} of records ({opening}), found {window.peek()!r}; see reader.records."
        )
    window.place += 1
    if window.peek() != closing:
        while True:
            key = None
            if keyed:
                if window.peek() != '"':
                    window.fail(f"expected a key, found {window.peek()!r}")
                key = window.value()
                window.expect(":")
            window.peek()
            line = window.at()
            yield key, window.value(), line, window.size
            if window.expect("," + closing) == closing:
                break
    else:
        window.place += 1
    if window.peek():
        window.fail(f"the records end, but {window.peek()!r} follows")


def _expanded(rows: Iterable[Sized], field: str, units: Units) -> Iterator[Sized]:
    """Yield the records in a field of each record; a record without any is counted as blank."""
    for row, size in rows:
        if isinstance(row, BadRow):
            yield row, size
            continue
        inner = row.pop(field, None) or []
        if not isinstance(inner, dict | list):
            yield BadRow(f"{field} of record {row.get('key', '')}", "holds no records"), size
            continue
        if not inner:
            units.found += 1
            units.blank += 1
        items = inner.items() if isinstance(inner, dict) else ((None, item) for item in inner)
        for key, item in items:
            if isinstance(item, dict):
                yield (
                    {**item, "parent": row} if key is None else {**item, "key": key, "parent": row},
                    size // len(inner),
                )
            else:
                yield BadRow(f"{field} of record {row.get('key', '')}", "is not a JSON object"), 0
