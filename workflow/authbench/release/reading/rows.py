"""Define rows, the output of file format readers.

A reader converts a raw file to blocks of rows: `read(file, options, wanted, units) -> Iterator[Block]`. A block is a
list of consecutive rows, small enough for memory (about a megabyte, or a record) and large enough for column-wise
processing. `options` is the section `reader` of an entry (config.registry.readers), `wanted` the columns that its
mapping reads; in `units` the reader counts the outcome of every unit of the format (release.reading.units). A reader
follows the format and does not interpret authors or languages; the mapping does. An unreadable record is a `BadRow`; an
unreadable file raises `InputError`.
"""

import codecs
import io
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import wraps
from types import MappingProxyType
from typing import Any, AnyStr, NamedTuple, TypeAlias

from authbench.core.errors import InputError
from authbench.core.json_values import JsonObject
from authbench.core.records import PRIMARY_GENRES, is_language_code, primary_genre
from authbench.core.storage.raw_files import CHUNK, RawFile
from authbench.release.reading.units import Units


def utf8_lines(text: io.TextIOWrapper, limit: int) -> Iterator[list[bytes | None]]:
    """Yield the `bounded_lines` of a text in UTF-8; declared UTF-8 is not decoded."""
    utf8 = codecs.lookup(text.encoding).name == "utf-8"
    read_on = text.buffer.read if utf8 else lambda size: text.read(size).encode()
    return bounded_lines(read_on, lambda piece: piece.split(b"\n"), limit)  # type: ignore[arg-type]


def bounded_lines(
    read_on: Callable[[int], AnyStr], cut: Callable[[AnyStr], list[AnyStr]], limit: int
) -> Iterator[list[AnyStr | None]]:
    """Yield the lines of a stream in lists of about a megabyte; `None` replaces a line longer than `limit`.

    `cut` splits a piece of the stream into lines; the last part, which may be empty, continues in the next piece.
    Memory: a piece, and at most `limit` of an unfinished line.
    """
    begun: list[object] = []
    size = 0
    while piece := read_on(CHUNK):
        *ended, rest = cut(piece)
        if ended:
            first = _joined([*begun, ended[0]]) if size + len(ended[0]) <= limit else None
            yield [first, *(line if len(line) <= limit else None for line in ended[1:])]
            begun, size = [], 0
        size += len(rest)
        begun = [*begun, rest] if size <= limit else []
    if size:
        yield [_joined(begun) if size <= limit else None]


def _joined(parts: list[Any]) -> Any:
    return parts[0][:0].join(parts)


Row = JsonObject
BAD_ROW, UNMATCHED_QUOTE = UNREADABLE = ("bad_row", "unmatched_quote")  # kinds of unreadable rows


@dataclass(frozen=True)
class BadRow:
    """An unusable record: its position in the file (`line 12`), its problem, and its kind."""

    position: str
    reason: str
    kind: str = BAD_ROW


Block = list[Row | BadRow]
Sized = tuple[Row | BadRow, int]  # a row and its size in bytes or characters

DEEPEST = 100  # maximum nesting of lists and objects; deeper nesting is not data and could exhaust recursion
BLOCK_ROWS = 4096
_DELIMITERS = (";", ",", "\t", "|")
MOST_NAMES = 100  # maximum number listed in a message
BLOCK_BYTES = 1 << 20

Needs = Mapping[str, list[frozenset[str]]]  # YAML file and key: sets of fields; of each set, at least one must occur
ABSENT = object()


class Wanted(NamedTuple):
    """The columns that a mapping reads, all if None, and the columns it requires."""

    columns: Collection[str] | None = None
    needs: Needs = MappingProxyType({})


EVERYTHING = Wanted()


# A reader; it takes a file, options for its format, and if asked for the wanted columns and the units to count.
ReadFile: TypeAlias = Callable[..., Iterator[Block]]


def counting(unit: str) -> Callable[[Callable[[RawFile, Any, Wanted, Units], Iterator[Block]]], ReadFile]:
    """Make a function a reader that names the units it counts, and checks their counts at the end of a file."""

    def reader_of(read: Callable[[RawFile, Any, Wanted, Units], Iterator[Block]]) -> ReadFile:
        @wraps(read)
        def reader(
            file: RawFile, options: Any, wanted: Wanted = EVERYTHING, units: Units | None = None
        ) -> Iterator[Block]:
            units = Units() if units is None else units
            units.unit = unit
            yield from read(file, options, wanted, units)
            units.check(file.relative)

        return reader

    return reader_of


def counted(rows: Iterable[Sized], units: Units) -> Iterator[Sized]:
    """Yield the rows, counting good and bad records."""
    for row, size in rows:
        units.found += 1
        units.bad += (bad := isinstance(row, BadRow))
        units.records += not bad
        yield row, size


def in_blocks(rows: Iterable[Sized], units: Units | None = None) -> Iterator[Block]:
    """Yield the rows as blocks; if `units` are given, each row is a unit and counted."""
    block: Block = []
    buffered = 0
    for row, size in rows if units is None else counted(rows, units):
        block.append(row)
        buffered += size
        if buffered >= BLOCK_BYTES or len(block) == BLOCK_ROWS:
            yield block
            block, buffered = [], 0
    if block:
        yield block


def count_rows(block: Block, units: Units) -> None:
    """Count the rows of a block, each a unit, as good and bad records."""
    records = list(map(type, block)).count(dict)
    units.records += records
    units.bad += len(block) - records


def value_at(row: object, path: str) -> object:
    """Return the value under a field name, or `ABSENT`; dots access nested mappings and, by index, lists.

    >>> value_at({"authors_parsed": [["Streinu", "Ileana"]]}, "authors_parsed.0.1")
    'Ileana'
    """
    if isinstance(row, dict) and path in row:
        return row[path]
    here = row
    for step in path.split("."):
        if isinstance(here, dict) and step in here:
            here = here[step]
        elif isinstance(here, list) and step.isdigit() and int(step) < len(here):
            here = here[int(step)]
        else:
            return ABSENT
    return here


def nested_deeper(value: object, most: int = DEEPEST) -> bool:
    """Return whether lists and objects are nested more than `most` deep.

    >>> nested_deeper([[1], {"a": 2}], 2), nested_deeper([[1], {"a": []}], 2)
    (False, True)
    """
    if not isinstance(value, list | dict):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return most == 0 or any(nested_deeper(one, most - 1) for one in inner)


def missing(needs: Needs, row: Row) -> Needs:
    """Return the remaining needs after a row: the sets of fields of which it has none."""
    left = {
        key: [names for names in sets if all(value_at(row, name) is ABSENT for name in names)]
        for key, sets in needs.items()
    }
    return {key: sets for key, sets in left.items() if sets}


def refuse_missing(relative: str, needs: Needs, found: Iterable[str]) -> None:
    """Raise InputError if needs remain, naming the file, the expected fields and the fields found."""
    if needs:
        expected = "; ".join(
            f"{key} expects {', '.join(' or '.join(map(repr, sorted(names))) for names in sets)}"
            for key, sets in needs.items()
        )
        names = list(found)
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        raise InputError(
            f"{relative}: fields are missing. {expected}. Found: {', '.join(map(repr, names[:MOST_NAMES]))}{more}. "
            f"{_meant(needs, names)}{_constants(needs)}Correct the names, or the reader's options (one field that "
            "holds a whole line: another delimiter)."
        )


def _meant(needs: Needs, found: Sequence[str]) -> str:
    """Return which of the found fields, or which delimiter, may be meant."""
    wanted = sorted(set[str]().union(*(names for sets in needs.values() for names in sets)))
    if len(found) == 1 and (signs := [sign for sign in _DELIMITERS if sign in found[0]]):
        return f"The delimiter may be {max(signs, key=found[0].count)!r}. "
    close = {name: get_close_matches(name, found, 1) for name in wanted}
    return "".join(f"For {name!r}: did you mean {one[0]!r}? " for name, one in close.items() if one)


def _constants(needs: Needs) -> str:
    """Return what to write for missing fields whose names resemble values: a language, a genre."""
    meant = []
    for key, sets in needs.items():
        field = key.rpartition(".")[2]
        for name in sorted(set().union(*sets)):
            if (field == "lang" and is_language_code(name)) or (
                field == "genre" and primary_genre(name) in PRIMARY_GENRES
            ):
                meant.append(f"`{field}: {{const: {name}}}`")
    return f"For one value in all texts write {' and '.join(meant)}. " if meant else ""


def check_header(relative: str, header: Iterable[str], wanted: Needs) -> None:
    """Apply `refuse_missing` in a format that declares the fields of its rows."""
    names = dict.fromkeys(header)
    needs: Needs = {
        key: [one for one in sets if not any(name in names or name.partition(".")[0] in names for name in one)]
        for key, sets in wanted.items()
    }
    refuse_missing(relative, {key: sets for key, sets in needs.items() if sets}, names)
