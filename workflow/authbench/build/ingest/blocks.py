"""Yield blocks of rows from all files of a source in sequence."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from authbench.build.ingest.beside import TablesBeside, is_beside
from authbench.build.ingest.mapping import Mapped
from authbench.config.registry.readers import BlogXmlReader, Reader, TeiReader, TextReader
from authbench.config.registry.source_entry import Extraction
from authbench.core.errors import InputError
from authbench.core.storage.raw_files import RawFile, UnreadableFile
from authbench.release.reading.readers import READERS
from authbench.release.reading.rows import BLOCK_BYTES, BadRow, Block, Needs, Wanted, missing, refuse_missing
from authbench.release.reading.units import Units

UNSEEN_AFTER = 10_000  # after so many rows without a field, it is missing
FILE_IS_TEXT = (
    TextReader,
    TeiReader,
    BlogXmlReader,
)  # formats in which a file is one text, or contains all texts of an author
WHOLE_FILE = "whole file"
FEW_ROWS = 256


class Part(NamedTuple):
    """Consecutive rows: the number of their file, its path or the path of a zip member, the first row's ordinal."""

    file: int
    path: str
    start: int
    rows: Block


def read_parts(
    tag: str,
    extraction: Extraction,
    folder: Path,
    files: Mapping[str, str],
    numbers: Mapping[str, int],
    mapped: Mapped,
    max_record_bytes: int,
    units: Units | None = None,
) -> Iterator[Part]:
    """Yield the rows of all files, sorted by path, with the fields of their tables.

    `numbers` are the files' numbers by SHA-256; `units` counts the outcomes of the files' units.
    """
    units = Units() if units is None else units
    tables = TablesBeside(extraction.beside, extraction.reader, folder, files, max_record_bytes)
    of_records = [relative for relative in sorted(files) if not is_beside(relative, extraction.beside)]
    if not of_records and files:
        raise InputError(f"{tag}: none of {', '.join(files)} holds records; fetch those that `files` names, too.")
    for relative in of_records:
        file = RawFile(folder / relative, relative, files[relative], max_record_bytes=max_record_bytes)
        alone = len(of_records) == 1
        for part in read_file(tag, file, numbers[file.sha256], extraction, mapped, units, alone):
            tables.add_fields(relative, part.rows)
            yield part


def gathered(parts: Iterable[Part]) -> Iterator[list[Part]]:
    """Yield parts, combining small parts (such as files of a single text) while all their rows are few and small."""
    buffered: list[Part] = []
    rows, size = 0, 0
    for part in parts:
        buffered.append(part)
        rows += len(part.rows)
        if rows < FEW_ROWS:
            size += sum(map(_characters, part.rows))
        if rows >= FEW_ROWS or size >= BLOCK_BYTES:
            yield buffered
            buffered, rows, size = [], 0, 0
    if buffered:
        yield buffered


def _characters(row: Any) -> int:
    return 0 if isinstance(row, BadRow) else sum(len(value) for value in row.values() if isinstance(value, str))


def read_file(
    tag: str, file: RawFile, number: int, extraction: Extraction, mapped: Mapped, units: Units, alone: bool
) -> Iterator[Part]:
    """Yield the rows of a file (or of all members of a zip file).

    Stops if a needed field is missing. An unreadable file stops the source if it is `alone` or a table. In a source of
    many files with a text each, it counts as a bad row; so does an empty file.
    """
    columns = Wanted(sorted(mapped.columns), mapped.needs)
    ordinal, read_well, first_bad = 0, 0, ""
    for part in file.members(extraction.files):
        fields = mapped.path_fields(part.relative)
        wanted: Needs = mapped.needs
        found, good = dict.fromkeys(fields), 0
        for block in _readable(part, extraction.reader, columns, units):
            for row in block:
                if isinstance(row, BadRow):
                    first_bad = first_bad or f" (all are bad rows; {row.position}: {row.reason})"
                    continue
                good += 1
                if wanted:
                    wanted = missing(wanted, row)
                    found.update(dict.fromkeys(row))
                    if wanted and good == UNSEEN_AFTER:
                        refuse_missing(part.relative, wanted, found)
                row.update(fields)
            yield Part(number, part.relative, ordinal, block)
            ordinal += len(block)
        if good:
            refuse_missing(part.relative, wanted, found)
        read_well += good
    if read_well or (first_bad and not alone and isinstance(extraction.reader, FILE_IS_TEXT)):
        return
    if alone or first_bad:
        raise InputError(
            f"{tag}: {file.relative} yields no records{first_bad}; check `reader` in config/sources/{tag}.yaml, or "
            "leave the file out of `files`."
        )
    yield Part(number, file.relative, ordinal, [BadRow(WHOLE_FILE, "no records")])


def _readable(file: RawFile, options: Reader, columns: Wanted, units: Units) -> Iterator[Block]:
    """Yield a reader's blocks; an unreadable single-text file becomes a bad row."""
    try:
        yield from READERS[type(options)](file, options, columns, units)
    except UnreadableFile as problem:
        if not isinstance(options, FILE_IS_TEXT):
            raise
        units.found += 1
        units.bad += 1
        yield [BadRow(WHOLE_FILE, str(problem))]
