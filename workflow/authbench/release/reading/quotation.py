"""Distinguish multi-line texts from rows swallowed by an unmatched quotation mark.

An unmatched `"` extends to the next `"`, however far, and a parser takes everything between them as a text. Swallowed
rows are recognised by their lines: they have the header's number of cells, and in columns of numbers, codes or few
values, their cells resemble the surrounding rows.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple

Row = Sequence[str]

SAMPLE = 200  # rows from which a layout is learned
MOST_COLUMNS = 100  # maximum number of compared columns
NOVEL = 20  # a column is closed if at most one in so many of its values is unique
ALONE = 3  # sufficient lines if no column distinguishes rows from text
MOSTLY = 0.8

_SHAPE_CHARACTERS = 64
_RUN = re.compile(r"[^\W_]+")
_PLAIN = frozenset("a .,'’-")


class Verdict(IntEnum):
    """Whether cells are a row of the table: they differ from its rows, might be a row, or resemble a row."""

    OTHER, POSSIBLE, ROW = range(3)


class Layout:
    """The appearance of each column's cells, learned from some rows of a table, all of the same width."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.size = len(rows)
        self.columns = list(map(_looks, zip(*(row[:MOST_COLUMNS] for row in rows), strict=True)))

    def verdict(self, cells: Row, without: int = -1) -> Verdict:
        """Return whether cells, ignoring column `without`, resemble a row."""
        alike = different = 0
        for place, (cell, (values, shapes)) in enumerate(zip(cells, self.columns, strict=False)):
            if place == without:
                continue
            if cell in values:
                alike += bool(cell.strip())
            elif shapes and (shape := _shape(cell)) not in shapes:
                different += 1
            elif shapes and not values:
                alike += not _PLAIN.issuperset(shape)
        if different and alike < 3 * different:
            return Verdict.OTHER
        return Verdict.ROW if alike else Verdict.POSSIBLE


def _looks(cells: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the values of a column and their shapes; none if a further row is likely to have a new value."""
    values = Counter(cells)
    few = len(cells) >= NOVEL and _once(values) * NOVEL <= len(cells)
    shapes = Counter(map(_shape, cells))
    closed = _once(shapes) <= max(1, len(cells) // NOVEL)
    return frozenset(values if few else ()), frozenset(shapes if closed else ())


def _once(counts: Counter[str]) -> int:
    return sum(count == 1 for count in counts.values())


def _shape(cell: str) -> str:
    """Return the cell with letters as `a`, digits as `0` and mixed runs as `x`.

    >>> _shape("user_17"), _shape("2024-01-31"), _shape("3f9a")
    ('a_0', '0-0-0', 'x')
    """
    return _RUN.sub(lambda run: _kind(run[0]), cell[:_SHAPE_CHARACTERS])


def _kind(run: str) -> str:
    return "0" if run.isdigit() else "a" if run.isalpha() else "x"


class TableLayout(NamedTuple):
    """A table's width, its parser of single lines, and its verdict on cells, ignoring a column."""

    width: int
    delimiter: str
    parse: Callable[[str], Row]
    verdict: Callable[[Row, int], Verdict]


def resumes_at(lines: Sequence[str], table: TableLayout) -> int | None:
    """Return the index among a record's lines of the first swallowed row; None if it is a valid record.

    A record of several lines swallowed rows if its last line is itself a row (the next `"` closed the text in a later
    row), and so are most lines from the first row on. If no line before the last is a row, the first line, read without
    quotation marks, must be one. The last line may differ if NOVEL lines before it resemble rows.
    """
    last = len(lines) - 1
    if table.width < 2 or not may_have_swallowed(lines, table):
        return None
    verdicts = dict(_verdicts(lines, range(1, last + 1), table))
    if last not in verdicts:
        if list(verdicts.values()).count(Verdict.ROW) < NOVEL:
            return None
        verdicts[last] = Verdict.OTHER
    inner = [place for place in verdicts if place < last]
    if inner:
        following = sum(not lines[place].isspace() for place in range(inner[0], last))
        enough = len(verdicts) >= ALONE or max(verdicts.values()) is Verdict.ROW
        return inner[0] if enough and len(inner) >= MOSTLY * following else None
    first = [lines[0].replace('"', "")]
    return last if verdicts[last] is Verdict.ROW and any(_verdicts(first, range(1), table)) else None


def may_have_swallowed(lines: Sequence[str], table: TableLayout) -> bool:
    """Return whether a record may contain rows, by its number of lines or the delimiters in its last line."""
    return len(lines) > NOVEL or lines[-1].count(table.delimiter) >= table.width - 1


def resumes_after_error(lines: Sequence[str], table: TableLayout) -> int | None:
    """Return the index of the first line, after the first, that is or begins a row; None if there is none.

    The lines are those that a parser consumed before detecting that they are not a record.
    """
    if table.width < 2:
        return None
    last = len(lines) - 1
    possible = []
    for place, verdict in _verdicts(lines, range(1, last), table):
        possible.append(place)
        if verdict is Verdict.ROW or len(possible) >= ALONE:
            return place if verdict is Verdict.ROW else possible[0]
    begun = table.parse(lines[last])
    begins_row = 1 < len(begun) <= table.width and table.verdict(begun[:-1], -1) is Verdict.ROW
    return last if begins_row else None


def _verdicts(lines: Sequence[str], places: range, table: TableLayout) -> Iterator[tuple[int, Verdict]]:
    """Yield the indices of lines that might be rows by themselves, and the verdict on each."""
    opened = len(table.parse(lines[0])) - 1  # the column of the text, whose cells are arbitrary
    for place in places:
        if lines[place].count(table.delimiter) < table.width - 1:
            continue
        cells = table.parse(lines[place])
        if len(cells) != table.width and '"' in lines[place]:
            cells = table.parse(lines[place].replace('"', ""))
        if len(cells) != table.width:
            continue
        verdict = table.verdict(cells, opened)
        sentence = any(cell[:1].isspace() for cell in cells)  # in sentences, a space follows a comma
        if verdict is Verdict.ROW or (verdict is Verdict.POSSIBLE and not sentence):
            yield place, verdict
