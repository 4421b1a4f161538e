"""Read a bounded sample of the records of files that somebody holds, and find out by which options they are read."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TypeVar

from authbench.build.ingest.fields import as_text
from authbench.config.registry.readers import Encoding, ParquetReader, Reader, TextReader, XmlReader
from authbench.core.errors import InputError
from authbench.core.printable import printable
from authbench.core.storage.raw_files import EnoughRead, RawFile
from authbench.core.storage.raw_paths import COMPRESSED, NOT_UTF8
from authbench.core.words import plural
from authbench.release.reading import foreign, table_parquet
from authbench.release.reading.characters import whole_characters
from authbench.release.reading.chats import app_of
from authbench.release.reading.column_names import NAMES, TOPICS, Layout, layout_of
from authbench.release.reading.readers import READERS
from authbench.release.reading.rows import EVERYTHING, BadRow, Row, Wanted

MOST_RECORDS = 1_000
MOST_FILES = 20  # tables that are read; of texts, as many as records
MOST_XML_FILES = 100  # often of a document each
MOST_FIELDS = 200
MOST_BYTES = 16 << 20  # of a file
_OF_BYTES = (foreign.PARQUET, foreign.MBOX, foreign.SHEET, foreign.XML)  # kinds that state their encoding
_OPTION = "--encoding"
_WELL_KNOWN = frozenset(name for names in (*NAMES.values(), *TOPICS.values()) for name in names)
_KNOWN = f"{', '.join(foreign.KINDS)} (also compressed or zipped)"


@dataclass(frozen=True)
class Sample:
    """Some records of a corpus, and how its files are read.

    Attributes:
        files: the corpus's files, by their path below the folder of the source.
        parts: the paths of these files, and in place of zip files of their members.
        patterns: the entry's.
        left_out: number of files of other kinds.
        layout: how paths of plain texts name the authors; None for tables.
        columns: the values of each field as text, None where a record has none.
        records: number of records read.
        whole: whether these are all.
        bad: number of unreadable records among the first.
        assumed: what is guessed of the files.
    """

    files: Mapping[str, Path]
    parts: tuple[str, ...]
    patterns: tuple[str, ...]
    left_out: int
    reader: Reader
    layout: Layout | None
    columns: Mapping[str, Sequence[str | None]]
    records: int
    whole: bool
    bad: int
    assumed: tuple[str, ...]


def read_sample(paths: Sequence[Path], encoding: str | None, named: Collection[str] = ()) -> Sample:
    """Read at most MOST_RECORDS records of the files, or of the files below folders.

    Args:
        encoding: of text; None: the byte order mark's, or else UTF-8 or Windows-1252, whichever fits.
        named: fields that are read in any case; of others, fields with well-known names come first.

    Raises:
        InputError: the files are of several or no known kinds, cannot be read, or name no authors.
    """
    if not (found := files_of(paths)):
        raise InputError(f"{paths[0]}: holds no file. Expected {_KNOWN}.")
    files = _of_one_kind({below: file for below, file in found.items() if foreign.kind_of(file)}, found)
    opened = _of_one_kind(_members(files), found)
    kinds = {foreign.kind_of(Path(below)) for below in opened}
    suffixes = {_suffix(Path(below)) for below in (*files, *opened)}
    patterns = tuple(sorted(f"**/*{suffix}" for suffix in suffixes))
    plain = kinds == {foreign.TEXT} and not app_of(next(iter(opened.values())))
    layout = layout_of([PurePath(one.member or below) for below, one in opened.items()]) if plain else None
    if plain and layout is None:
        raise InputError(
            f"The authors of {plural(len(opened), 'plain text')} cannot be told. Expected a folder for each author "
            "(author/title.txt), or files called Author_Title.txt."
        )
    wanted = frozenset(named) | _WELL_KNOWN
    options, rows, bad, whole, assumed = _texts(opened, encoding) if layout else _tables(opened, encoding, wanted)
    if not rows and not whole:
        raise InputError(f"{paths[0]}: the first {MOST_BYTES >> 20} MiB hold no whole record.")
    if not rows:
        raise InputError(f"{paths[0]}: " + (f"none of {plural(bad, 'record')} can be read." if bad else "no records."))
    found_names = dict.fromkeys(name for row in rows for name in row)
    if isinstance(options, XmlReader):
        del found_names["part"]  # a place is not an id
    names = _first_names(found_names, wanted)
    columns = {name: [_text(row.get(name)) for row in rows] for name in names}
    left_out = len(found) - len(files)
    return Sample(
        files, tuple(opened), patterns, left_out, options, layout, columns, len(rows), whole, bad, tuple(assumed)
    )


def _members(files: Mapping[str, Path]) -> dict[str, RawFile]:
    """Return the files, and in place of zip files their members, by path."""
    opened: dict[str, RawFile] = {}
    for below, path in files.items():
        for one in RawFile(path, str(path), "", option=_OPTION).members(foreign.PATTERNS):
            whole = foreign.kind_of(Path(one.member or below)) in (foreign.XML, foreign.SHEET)
            one = replace(one, at_most=None if whole else MOST_BYTES)
            opened[below if one.member is None else f"{below}/{one.member}"] = one
    return opened


def _first_names(names: Iterable[str], wanted: Collection[str]) -> list[str]:
    """Return at most MOST_FIELDS names, the wanted names first."""
    return sorted(names, key=lambda name: name not in wanted and name.strip().lower() not in wanted)[:MOST_FIELDS]


def _text(value: object) -> str | None:
    text = as_text(value)
    return None if text is None else whole_characters(text)


def files_of(paths: Sequence[Path]) -> dict[str, Path]:
    """Return the files by their path below the source's folder, without files of an operating system."""
    found: dict[str, Path] = {}
    several_paths = len(paths) > 1
    for path in paths:
        if not path.exists():
            raise InputError(f"{path}: there is no such file or folder. Expected {_KNOWN}.")
        several = [path] if path.is_file() else [one for one in sorted(path.rglob("*")) if not _is_folder(one)]
        for one in several:
            below = one.name if one == path else one.relative_to(path.parent if several_paths else path).as_posix()
            if one != path and foreign.is_of_a_system(Path(below)):
                continue
            if not one.is_file():
                raise InputError(f"{path}: holds what is no regular file. Expected data; take it out.")
            if one != path and not one.resolve().is_relative_to(path.resolve()):
                raise InputError(f"{path}: holds a link that leads out of it. Put the file in its place.")
            if NOT_UTF8.search(below):
                raise InputError(f"{path}: the name of a file is not UTF-8. Rename the file.")
            if below in found:
                raise InputError(
                    f"{path}: two files are called {printable(one.name)}. Give the folder that holds both."
                )
            found[below] = one
    return found


def _is_folder(path: Path) -> bool:
    """Return whether a path is a folder. Raises InputError for a link to a folder."""
    if path.is_symlink() and path.is_dir():
        raise InputError("A folder holds a link to a folder. Put the folder in its place, or give it by itself.")
    return path.is_dir()


_F = TypeVar("_F", Path, RawFile)


def _of_one_kind(files: Mapping[str, _F], found: Collection[str]) -> dict[str, _F]:
    """Return the files that are data: tables, else JSON, XML, zip files or plain texts. Raises InputError for several.

    Args:
        found: all files, for messages.
    """
    kinds = {below: foreign.kind_of(Path(below)) for below in files}
    present = set(kinds.values()) - {None}
    for several in (
        present - {foreign.JSON, foreign.XML, foreign.ZIP, foreign.TEXT},
        {foreign.JSON},
        {foreign.XML},
        {foreign.ZIP},
        {foreign.TEXT},
    ):
        if several & present:
            if len(several) > 1:
                raise InputError(f"Files of several kinds: {', '.join(sorted(map(str, several)))}. Give those of one.")
            return {below: file for below, file in files.items() if kinds[below] in several}
    which = f"None of {len(found)} files is" if len(found) > 1 else f"{printable(next(iter(found)))} is not"
    raise InputError(f"{which} of a known kind. Expected {_KNOWN}.")


def _suffix(file: Path) -> str:
    """Return the ending of a file's name, in small letters, ignoring the ending of a compression."""
    suffixes = [suffix.lower() for suffix in file.suffixes if suffix.lower() not in COMPRESSED]
    return suffixes[-1]


def _tables(
    files: Mapping[str, RawFile], encoding: str | None, wanted: Collection[str]
) -> tuple[Reader, list[Row], int, bool, Collection[str]]:
    """Return the options of tables, rows of some of them, the number of bad rows, and whether the rows are all."""
    most = MOST_XML_FILES if foreign.kind_of(Path(next(iter(files)))) == foreign.XML else MOST_FILES
    chosen = {below: files[below] for below in list(files)[:: max(1, -(-len(files) // most))]}
    kinds = {below: foreign.kind_of(Path(below)) for below in chosen}
    encodings = {
        below: encoding or ("utf-8" if kinds[below] in _OF_BYTES else foreign.encoding_of(file))
        for below, file in chosen.items()
    }
    stated = _several(encodings.values())
    assumed: dict[str, None] = {}
    reader: Reader | None = None
    for below, file in chosen.items():
        try:
            one, guessed = foreign.reader_of(file, kinds[below], encodings[below])
        except EnoughRead:
            raise InputError(f"{file.relative}: has no line end in its first {MOST_BYTES >> 20} MiB.") from None
        assumed |= dict.fromkeys(guessed)
        if hasattr(one, "encoding"):
            one = replace(one, encoding=stated)  # type: ignore[call-arg]
        reader = one if reader is None else _of_both(reader, one)
        if reader is None:
            first = next(iter(chosen.values())).relative
            raise InputError(f"{first} and {file.relative} differ in form. Give files of one form at a time.")
    assert reader
    rows, bad, whole = list[Row](), 0, len(chosen) == len(files)
    for file in chosen.values():
        some, ended = _first_rows(file, reader, MOST_RECORDS // len(chosen), wanted)
        good = [row for row in some if not isinstance(row, BadRow)]
        bad += len(some) - len(good)
        rows += map(_flat, good)
        whole &= ended
    return reader, rows, bad, whole, [*assumed, *_told(encodings.values())]


def _of_both(first: Reader, second: Reader) -> Reader | None:
    """Return the options for two files; XML files may differ in fields. None if they have none in common."""
    if isinstance(first, XmlReader) and isinstance(second, XmlReader) and first.record == second.record:
        text = tuple(dict.fromkeys((*first.text, *second.text)))
        fields = [{**new, **old} for old, new in ((first.of_record, second.of_record), (first.of_file, second.of_file))]
        return XmlReader(first.record, text, of_record=fields[0], of_file=fields[1])
    return first if first == second else None


def _texts(files: Mapping[str, RawFile], encoding: str | None) -> tuple[Reader, list[Row], int, bool, Collection[str]]:
    """Return the options of plain texts, some of the texts, and the counts of `_tables`; messages name no file."""
    chosen = list(files.items())[:: max(1, -(-len(files) // MOST_RECORDS))]
    raw = {below: replace(file, relative="a text") for below, file in chosen if file.member or file.path.stat().st_size}
    encodings = [encoding or foreign.encoding_of(file) for file in raw.values()]
    reader = TextReader(_several(encodings))
    rows = list[Row]()
    for below, file in raw.items():
        some, _ = _first_rows(file, reader, 1)
        rows += [{**row, "part": below} for row in some if not isinstance(row, BadRow)]
    return reader, rows, len(chosen) - len(rows), len(chosen) == len(files), _told(encodings)


def _several(encodings: Collection[str]) -> Encoding:
    """Return the encodings of some files as an entry states them: UTF-8 can fail, and is tried first."""
    ordered = tuple(sorted(set(encodings), key=lambda one: (one != "utf-8", one)))
    return ordered if len(ordered) > 1 else next(iter(ordered), "utf-8")


def _told(encodings: Collection[str]) -> list[str]:
    other = sorted(set(encodings) - {"utf-8"})
    return [f"encoding: {' or '.join(other)}"] if other else []


def _first_rows(
    file: RawFile, reader: Reader, most: int, wanted: Collection[str] = ()
) -> tuple[list[Row | BadRow], bool]:
    """Return the first rows of a file, and whether they are all."""
    found: list[Row | BadRow] = []
    try:
        for row in _rows(file, reader, wanted):
            if len(found) == most:
                return found, False
            found.append(row)
    except EnoughRead:
        return found, False
    return found, True


def _rows(file: RawFile, reader: Reader, wanted: Collection[str]) -> Iterator[Row | BadRow]:
    columns = EVERYTHING
    if isinstance(reader, ParquetReader):  # of many columns each is read by itself
        columns = Wanted(_first_names(table_parquet.names_of(file), wanted))
    for block in READERS[type(reader)](file, reader, columns):
        yield from block


def _flat(row: Row) -> Row:
    """Return a row with the values of nested objects under dotted names.

    >>> _flat({"id": 1, "user": {"name": "Ann"}})
    {'id': 1, 'user.name': 'Ann'}
    """
    flat: Row = {}
    for name, value in row.items():
        if isinstance(value, dict):
            flat |= {f"{name}.{inner}": one for inner, one in value.items() if not isinstance(one, dict)}
        else:
            flat[name] = value
    return flat
