"""Join the records of a work, wherever they are in the file.

They are sorted in a private database on disk (SQLite's temporary file); one work at a time is in memory.
"""

import pickle
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import groupby

from authbench.reading.rows import BadRow, Row, Sized, value_at
from authbench.registry.readers import Group

NUMBER = re.compile(r"\d+")
LARGEST = (1 << 64) - 1
FORGET = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE;"
TABLES = "CREATE TABLE work (number INTEGER PRIMARY KEY, name TEXT UNIQUE); CREATE TABLE part (work, place, row);"


def joined(rows: Iterable[Sized], group: Group, limit: int) -> Iterator[Sized]:
    """Yield a row per work, in order of first occurrence; bad rows are passed on.

    `group` names the field that identifies the work (`by`), its `text`, and the separator (`join`). Texts are sorted by
    the numbers in the records' `key`, else keep file order; other fields come from the first record. A work of more
    than `limit` characters is a bad row.
    """
    with closing(sqlite3.connect("")) as waiting:
        waiting.executescript(FORGET + TABLES)
        for row, size in rows:
            if isinstance(row, BadRow):
                yield row, size
                continue
            name = str(value_at(row, group.by)).encode("utf-8", "surrogatepass")
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


def _one(rows: Iterator[Row], number: int, group: Group, limit: int) -> Sized:
    first = None
    texts: list[str] = []
    buffered = 0
    for row in rows:
        first = row if first is None else first
        text = str(row.get(group.text) or "").strip()
        buffered += len(text)
        if buffered > limit:
            return BadRow(f"work {number} by {group.by}", f"is longer than max_record_bytes ({limit})"), 0
        if text:
            texts.append(text)
    assert first is not None
    return {**first, group.text: group.join.join(texts)}, buffered
