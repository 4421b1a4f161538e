"""Read records of JSON documents.

An array or object of records is decoded record by record; the file may be larger than memory.

Join the records of a work, wherever they are in the file.

They are sorted in a private database on disk (SQLite's temporary file); a single work is in memory.
"""

import json
import pickle
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import groupby
from typing import IO, Any, NoReturn

from authbench.config.registry.readers import Encoding, Group, JsonReader
from authbench.core.errors import InputError
from authbench.core.storage.exact_json import distinct, loads_exactly
from authbench.core.storage.raw_files import CHUNK, RawFile
from authbench.release.reading import rows
from authbench.release.reading.units import Units

NUMBER = re.compile(r"\d+")
LARGEST = (1 << 64) - 1
FORGET = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE;"
TABLES = "CREATE TABLE work (number INTEGER PRIMARY KEY, name TEXT UNIQUE); CREATE TABLE part (work, place, row);"


def joined(given: Iterable[rows.Sized], group: Group, limit: int) -> Iterator[rows.Sized]:
    """Yield a row per work, in order of first occurrence; bad rows are passed on.

    `group` names the field that identifies the work (`by`), its `text`, and the separator (`join`). Texts are sorted by
    the numbers in the records' `key`, else keep file order; other fields come from the first record. A work of more
    than `limit` characters is a bad row.
    """
    with closing(sqlite3.connect("")) as waiting:
        waiting.executescript(FORGET + TABLES)
        for row, size in given:
            if isinstance(row, rows.BadRow):
                yield row, size
                continue
            name = str(rows.value_at(row, group.by)).encode("utf-8", "surrogatepass")
            waiting.execute("INSERT OR IGNORE INTO work (name) VALUES (?)", (name,))
            waiting.execute(
                "INSERT INTO part SELECT number, ?, ? FROM work WHERE name = ?",
                (_place(str(row.get("key", ""))), pickle.dumps(row), name),
            )
        found = waiting.execute("SELECT work, row FROM part ORDER BY work, place, rowid")
        for number, parts in groupby(found, key=lambda part: part[0]):
            yield _one((pickle.loads(row) for _, row in parts), number, group, limit)  # noqa: S301


def _place(key: str) -> bytes:
    """Return the numbers in a key, as bytes with the same sort order."""
    return b"".join(min(int(digits[:20]), LARGEST).to_bytes(8) for digits in NUMBER.findall(key))


def _one(given: Iterator[rows.Row], number: int, group: Group, limit: int) -> rows.Sized:
    first = None
    texts: list[str] = []
    buffered = 0
    for row in given:
        first = row if first is None else first
        text = str(row.get(group.text) or "").strip()
        buffered += len(text)
        if buffered > limit:
            return rows.BadRow(f"work {number} by {group.by}", f"is longer than max_record_bytes ({limit})"), 0
        if text:
            texts.append(text)
    assert first is not None
    return {**first, group.text: group.join.join(texts)}, buffered


SPACE = re.compile(r"[ \t\r\n]*")


@rows.counting("elements")
def read(file: RawFile, options: JsonReader, wanted: rows.Wanted, units: Units) -> Iterator[rows.Block]:
    """Yield the records of an array, of an object (their key is the field `key`), or the file as a record.

    `expand` names a field that contains records: each becomes a row, with the enclosing record (without that field) as
    its field `parent`. `group` joins the records of a work: their `text` values are sorted by the numbers in their
    keys, else keep file order; other fields come from the first record.
    """
    given = _records(file, options.records, options.encoding)
    if options.expand is not None:
        given = _expanded(given, options.expand, units)
    given = rows.counted(given, units)
    if options.group is not None:
        given = joined(given, options.group, file.max_record_bytes)
    yield from rows.in_blocks(given)


def _records(file: RawFile, shape: str, encoding: Encoding) -> Iterator[rows.Sized]:
    with file.open_text(encoding, newline="\n") as text:
        if shape == "file":
            found: Iterator[tuple[str | None, object, int, int]] = iter([(None, _whole(file, text), 1, 0)])
        else:
            found = _elements(file, text, keyed=shape == "object")
        for key, record, line, size in found:
            if size > file.max_record_bytes:
                yield rows.BadRow(f"line {line}", f"is longer than max_record_bytes ({file.max_record_bytes})"), 0
            elif not isinstance(record, dict):
                yield rows.BadRow(f"line {line}", "is not a JSON object"), 0
            elif rows.nested_deeper(record):
                yield rows.BadRow(f"line {line}", f"is nested more than {rows.DEEPEST} deep"), 0
            else:
                yield record if key is None else {"key": key, **record}, size


def _whole(file: RawFile, text: IO[str]) -> object:
    content = text.read(file.max_record_bytes + 1)
    if len(content) > file.max_record_bytes:
        raise InputError(f"{file.relative}: the record is longer than max_record_bytes ({file.max_record_bytes}).")
    try:
        return loads_exactly(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file.relative}: invalid JSON: {error}; fetch the file again.") from error


class Window:
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

    def items(self) -> Iterator[str | None]:
        """Yield the key (None in a list) of each element of the list or object here; the caller reads its value."""
        closing = "}" if self.peek() == "{" else "]"
        self.place += 1
        if self.peek() == closing:
            self.place += 1
            return
        while True:
            key = None
            if closing == "}":
                if self.peek() != '"':
                    self.fail(f"expected a key, found {self.peek()!r}")
                key = self.value()
                self.expect(":")
            yield key
            if self.expect("," + closing) == closing:
                return

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

    def fail(self, what: str) -> NoReturn:
        raise InputError(f"{self.file.relative}: invalid JSON on line {self.at()}: {what}; fetch the file again.")


DECODER = json.JSONDecoder(object_pairs_hook=distinct)


def _elements(file: RawFile, text: IO[str], keyed: bool) -> Iterator[tuple[str | None, object, int, int]]:
    """Yield key, value, line and length of each element."""
    window = Window(file, text)
    if window.peek() != (opening := "{" if keyed else "["):
        shape = "an object" if keyed else "an array"
        raise InputError(
            f"{file.relative}: expected {shape} of records ({opening}), found {window.peek()!r}; see reader.records."
        )
    for key in window.items():
        window.peek()
        line = window.at()
        yield key, window.value(), line, window.size
    if window.peek():
        window.fail(f"the records end, but {window.peek()!r} follows")


def _expanded(given: Iterable[rows.Sized], field: str, units: Units) -> Iterator[rows.Sized]:
    """Yield the records in a field of each record; a record without any is counted as blank."""
    for row, size in given:
        if isinstance(row, rows.BadRow):
            yield row, size
            continue
        inner = row.pop(field, None) or []
        if not isinstance(inner, dict | list):
            yield rows.BadRow(f"{field} of record {row.get('key', '')}", "holds no records"), size
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
                yield rows.BadRow(f"{field} of record {row.get('key', '')}", "is not a JSON object"), 0
