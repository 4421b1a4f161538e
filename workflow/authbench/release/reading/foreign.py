"""Read user-supplied tables, mail, chats, XML and workbooks, compressed or zipped, in a known encoding.

The readers are the same as for a build's sources: lines are counted, digits are kept, and unreadable rows are reported.
"""

import codecs
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import partial
from itertools import islice
from pathlib import Path, PurePath
from typing import Any, Literal

import polars as pl
import regex

from authbench.config.registry import readers
from authbench.core.errors import InputError
from authbench.core.printable import printable
from authbench.core.storage.bounds import room, too_large
from authbench.core.storage.raw_files import BYTE_ORDER_MARKS, CHUNK, EmptyFile, RawFile
from authbench.core.storage.raw_paths import COMPRESSED
from authbench.release.reading import table_csv, table_parquet
from authbench.release.reading.characters import whole_characters
from authbench.release.reading.chats import app_of
from authbench.release.reading.readers import READERS
from authbench.release.reading.rows import MOST_NAMES, BadRow, Block, Row, Wanted
from authbench.release.reading.xml_records import options_of

CSV, TSV, JSON, LINES, PARQUET, TEXT, ZIP = "CSV", "TSV", "JSON", "JSON lines", "Parquet", "text", "zip"
MBOX, XML, SHEET = "mbox", "XML", "workbook"
KINDS = {
    ".csv": CSV, ".tsv": TSV, ".json": JSON, ".jsonl": LINES, ".ndjson": LINES, ".parquet": PARQUET, ".txt": TEXT,
    ".mbox": MBOX, ".xml": XML, ".tei": XML, ".xlsx": SHEET, ".ods": SHEET,
}  # fmt: skip
LOOSE = (JSON, XML, ZIP, TEXT)  # in a folder or archive they are tables only where there are no other tables
_WITHOUT_OPTIONS: Mapping[str | None, readers.Reader] = {
    PARQUET: readers.ParquetReader(),
    MBOX: readers.MboxReader(),
    SHEET: readers.SheetReader(),
}
PATTERNS = tuple(f"{folder}*{suffix}" for suffix in KINDS for folder in ("", "**/"))
_DELIMITERS = ",;\t|"
_EXACT = 1 << 53  # from here on not every integer is a floating-point number
_SHOWN = 5
_OF_A_VALUE, _OF_A_BAD_ROW = 64, 8  # overhead in bytes, excluding long texts
_DECODED = 4 << 20  # bytes by which an encoding is told
_MOST_FOREIGN = 0.3  # share of accented letters in a text in Latin letters
_CONTROLS = regex.compile(r"[\x00-\x08\x0b\x0e-\x1f]")
_HEAD = 1 << 20  # characters in which the first line is searched


@dataclass(frozen=True)
class ForeignTable:
    """The rows of a file.

    Attributes:
        columns: values as given by the format, by column name; None where a row has no value.
        rows: the index of each row among all rows of the file, from 0.
        names: all column names found in the file.
        bad: unreadable rows.
        assumed: undeclared properties that were guessed: encoding, delimiter.
    """

    columns: Mapping[str, list[object]]
    rows: list[int]
    names: list[str]
    bad: list[BadRow] = field(default_factory=list)
    assumed: tuple[str, ...] = ()


def kind_of(path: Path) -> str | None:
    """Return the kind of table of a file, from its name; None for other files.

    >>> kind_of(Path("a.csv.gz")), kind_of(Path("b.zip")), kind_of(Path("c.docx"))
    ('CSV', 'zip', None)
    """
    suffixes = [suffix.lower() for suffix in PurePath(path.name).suffixes]
    while suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return ZIP if suffixes[-1:] == [".zip"] else KINDS.get(suffixes[-1]) if suffixes else None


def is_of_a_system(path: Path) -> bool:
    """Return whether a file was made by a file manager or an archiver, or is hidden."""
    return any(part.startswith(".") or part in ("__MACOSX", "Thumbs.db", "desktop.ini") for part in path.parts)


def read_foreign(
    path: Path,
    keep: Callable[[str], bool],
    encoding: str | None = None,
    numbered: bool = False,
    option: str = "",
    most: int | None = None,
) -> ForeignTable:
    """Read the columns of a table whose names `keep` accepts.

    Args:
        encoding: of text; None: as `encoding_of` finds.
        numbered: the file has no header; columns are named 1, 2, ...
        option: the option by which users declare the encoding, or empty.
        most: how many rows are read, from the first; None: all.

    Raises:
        InputError: the file's kind is not in KINDS, is unreadable, or has duplicate column names.
    """
    file, kind = table_in(path, option)
    blocks, header, assumed = _opened(file, kind, encoding, numbered, keep)
    return _collected(file, blocks if most is None else _first_rows(blocks, most), header, assumed, keep)


def _first_rows(blocks: Iterator[Block], most: int) -> Iterator[Block]:
    while most and (block := next(blocks, None)) is not None:
        yield block[:most]
        most -= min(most, len(block))


def foreign_blocks(path: Path) -> Iterator[list[Row]]:
    """Yield the rows of a table in blocks of some thousands. Raises InputError as `read_foreign`, and for a bad row."""
    blocks, _, _ = _opened(*table_in(path, ""), None, False, lambda _: True)
    for block in blocks:
        if bad := next((row for row in block if isinstance(row, BadRow)), None):
            raise InputError(f"{path}, {bad.position}: cannot be read: {bad.reason}. Mend the row, or take it out.")
        yield [row for row in block if not isinstance(row, BadRow)]


def table_in(path: Path, option: str) -> tuple[RawFile, str]:
    """Return the only table in a file, and its kind."""
    if not path.is_file():
        raise InputError(f"{path}: is no regular file. Expected a table.")
    held = RawFile(path, str(path), "", option=option).members(PATTERNS)
    members = [file for file in held if kind_of(Path(file.member or path.name)) not in LOOSE] or held
    if len(members) != 1:
        raise InputError(f"{path}: holds {len(members)} tables. Expected one; unpack it into a folder.")
    [file] = members
    kind = kind_of(Path(file.member or path.name))
    if kind is None or kind not in KINDS.values():
        raise InputError(f"{path}: a file of an unknown kind. Expected {', '.join(KINDS)}, compressed or zipped.")
    return file, kind


def _opened(
    file: RawFile, kind: str | None, encoding: str | None, numbered: bool, keep: Callable[[str], bool]
) -> tuple[Iterator[Block], list[str], list[str]]:
    """Return the blocks of a file, the names in its header, and what is assumed."""
    options, assumed = reader_of(file, kind, encoding, numbered)
    if isinstance(options, readers.ParquetReader):
        names = table_parquet.names_of(file)
        return table_parquet.read(file, options, Wanted([name for name in names if keep(name)])), names, assumed
    header = list(options.header) if isinstance(options, readers.CsvReader) else []
    return READERS[type(options)](file, options), header, assumed


def reader_of(
    file: RawFile, kind: str | None, encoding: str | None = None, numbered: bool = False
) -> tuple[readers.Reader, list[str]]:
    """Return the options by which a table of this kind is read, and what is assumed.

    Args:
        encoding: of text; None: as `encoding_of` finds.
        numbered: the file has no header; columns are named 1, 2, ...

    Raises:
        EmptyFile: it holds at most white space after a byte order mark.
    """
    assumed: list[str] = []
    if kind in _WITHOUT_OPTIONS:
        return _WITHOUT_OPTIONS[kind], assumed
    with file.open_binary() as stream:
        if all(block.strip() in (b"", *BYTE_ORDER_MARKS) for block in iter(partial(stream.read, CHUNK), b"")):
            raise EmptyFile(f"{file.relative}: is empty but for white space. Take it out.")
    if kind == XML:
        return options_of(file), assumed
    if kind in (JSON, TEXT) and not numbered and (app := app_of(file)):
        return readers.ChatReader(app), [f"chat: an export of {app}"]
    if encoding is None:
        encoding = encoding_of(file)
        if encoding != "utf-8":
            assumed.append(f"encoding: {encoding}")
    if kind == JSON:
        if shape := _shape(file, encoding):
            return readers.JsonReader(encoding, records=shape), assumed
        kind = LINES
        assumed.append("JSON lines: an object a line")
    if kind == LINES:
        return readers.JsonLinesReader(encoding), assumed
    delimiter, width = _layout(file, encoding, kind or CSV)
    if delimiter != ("\t" if kind in (TSV, TEXT) else ","):
        assumed.append(f"delimiter: {delimiter!r}")
    if kind == TEXT and not numbered:
        raise InputError(
            f"{file.relative}: a text without a line of headings. Expected numbers of columns, such as "
            f"--column author=1 --column content={width}; or the folder of such texts."
        )
    header = tuple(map(str, range(1, width + 1))) if numbered else ()
    return readers.CsvReader(encoding, delimiter, quoting=kind != TEXT, header=header), assumed


def encoding_of(file: RawFile) -> str:
    """Return the encoding of a file, by its byte order mark or its first bytes: UTF-8, or else Windows-1252.

    Raises:
        InputError: it is neither: too many of its letters would have accents, or it has control characters.
    """
    with file.open_binary() as stream:
        head = stream.read(_DECODED)
    if marked := next((name for mark, name in BYTE_ORDER_MARKS.items() if head.startswith(mark)), ""):
        return marked
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
        return "utf-8"
    except UnicodeDecodeError:
        shown = head.decode("utf-8", "replace")
    damaged = shown.count("\ufffd")
    if len(shown) - len(shown.encode("ascii", "ignore")) > 2 * damaged:
        return "utf-8"  # its reader names the place that is not
    try:
        decoded = head.decode("cp1252")
        letters = Counter(letter.isascii() for letter in regex.findall(r"\p{L}", decoded))
        if letters[False] <= _MOST_FOREIGN * letters.total() and not _CONTROLS.search(decoded):
            return "cp1252"
    except UnicodeDecodeError:
        pass
    cure = f". Name its encoding: {file.option} gb18030" if file.option else "; save it in UTF-8"
    raise InputError(f"{file.relative}: is neither UTF-8 nor Windows-1252{cure}.")


def _shape(file: RawFile, encoding: str) -> Literal["array", "object"] | None:
    """Return the shape of a JSON file: an `array` or `object` of records; None: an object per line."""
    with file.open_text(encoding) as text:
        head = text.read(1 << 16).lstrip()
    if head.startswith("["):
        return "array"
    lines = [line for line in head.splitlines()[:2] if line.strip()]
    return None if all(line.startswith("{") and '":' in line for line in lines) and len(lines) == 2 else "object"


def _layout(file: RawFile, encoding: str, kind: str) -> tuple[str, int]:
    """Return the cell separator of a file's first line, and the number of cells."""
    with file.open_text(encoding) as text:
        first = next(iter(text.read(_HEAD).splitlines()), "")
    reader = table_csv.parser_of(_HEAD).reader
    widths = {mark: len(next(reader([first], delimiter=mark), [])) for mark in _DELIMITERS}
    preferred = "\t" if kind in (TSV, TEXT) else ","
    mark = preferred if widths[preferred] > 1 or max(widths.values()) < 2 else max(widths, key=lambda one: widths[one])
    return mark, widths[mark]


def _collected(
    file: RawFile,
    blocks: Iterator[Block],
    header: Collection[str],
    assumed: list[str],
    keep: Callable[[str], bool],
) -> ForeignTable:
    """Return the columns that `keep` accepts. Raises InputError if they exceed the file's memory limit."""
    stored, taken = file.path.stat().st_size, 0
    columns: dict[str, list[object]] = {}
    names: dict[str, None] = dict.fromkeys(header)
    rows, bad, number = list[int](), list[BadRow](), 0
    for block in blocks:
        good, before = list[Row](), len(rows)
        for at, row in enumerate(block, start=number):
            if isinstance(row, BadRow):
                bad.append(row)
            else:
                good.append(row)
                rows.append(at)
        number += len(block)
        here = dict.fromkeys(name for row in good for name in row)
        names |= dict.fromkeys(islice(here, MOST_NAMES if len(names) < MOST_NAMES else 0))
        for name in filter(keep, here):
            columns.setdefault(name, [None] * before)
        for name, values in columns.items():
            found: list[Any] = [row.get(name) for row in good]
            taken += sum(map(len, filter(_is_long, found)))
            values += found
        taken += _OF_A_VALUE * (len(columns) * len(good) + _OF_A_BAD_ROW * (len(block) - len(good)))
        if taken > room(stored):
            raise too_large(file.relative, stored)
    return ForeignTable(columns, rows, list(names), bad, tuple(assumed))


def _is_long(value: Any) -> bool:
    return type(value) in (str, list, dict)


def text_column(path: Path, name: str, values: list[Any], ident: bool) -> pl.Series:
    """Return the values of a column as text.

    Surrogate halves become U+FFFD.

    Args:
        ident: the column contains identifiers, so distinct values must remain distinct; otherwise, lists of texts are
            joined by line breaks, and any number is accepted.

    Raises:
        InputError: a value is an object, or in a column of identifiers a list, a number with a fraction or half a
            character.
    """
    texts = [one if type(one) is str else _as_text(one, path, name, ident) for one in values]
    try:
        return pl.Series(name, texts, pl.String)
    except UnicodeEncodeError:
        if ident:
            raise InputError(
                f"{path}: the column {printable(name)!r} holds half of a surrogate pair, which identifies nothing."
            ) from None
        return pl.Series(name, [None if one is None else whole_characters(one) for one in texts], pl.String)


def _as_text(value: Any, path: Path, name: str, ident: bool) -> str | None:
    if value is None or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if value.is_integer() and abs(value) < _EXACT:
            return str(int(value))
        if ident:
            raise InputError(
                f"{path}: the column {printable(name)!r} holds the number {value!r}, which identifies nothing surely. "
                "Expected text or whole numbers."
            )
        return repr(value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, list) and not ident and all(isinstance(one, str) for one in value):
        return "\n".join(value)
    if isinstance(value, list | dict | tuple | bytes):
        what = "objects" if isinstance(value, dict) else "bytes" if isinstance(value, bytes) else "lists"
        raise InputError(
            f"{path}: the column {printable(name)!r} holds {what}. Expected text; name another by --column."
        )
    return str(value)


def bad_rows_note(path: Path, bad: Collection[BadRow]) -> str:
    """Return the number of unreadable rows in a file, and the positions of the first."""
    where = ", ".join(one.position for one in islice(bad, _SHOWN))
    return f"{printable(path.name)}: {len(bad):,} rows cannot be read ({where}{', …' if len(bad) > _SHOWN else ''})"
