"""Rows of CSV and TSV files."""

import csv
import io
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from importlib.util import find_spec, module_from_spec
from itertools import chain
from typing import IO, Any

from authbench.errors import InputError
from authbench.ingest.lines import bounded_lines
from authbench.ingest.rows import EVERYTHING, BadRow, Block, Wanted, check_header
from authbench.registry.readers import CsvReader
from authbench.storage.raw_files import RawFile


def read(file: RawFile, options: CsvReader, wanted: Wanted = EVERYTHING) -> Iterator[Block]:
    """Yield the rows under the names of the header, or of `options.header` if the file has none.

    A row with more or fewer cells than the header, with a stray quotation mark or a NUL byte, or that is too long is a
    bad row; positions are lines of the file.
    """
    limit = file.max_record_bytes
    parser = _parser(2 * limit)  # a longer record is read to its end, up to here
    delimiter = options.delimiter
    with file.open_text(options.encoding) as text:
        source = _Source(text, limit)
        if options.quoting:
            lines = parser.reader(source.lines, delimiter=delimiter, strict=True)
        else:
            lines = parser.reader(source.lines, delimiter=delimiter, quoting=csv.QUOTE_NONE, strict=True)
        header = options.header or _header(lines, parser.Error, file, wanted.columns)
        check_header(file.relative, header, wanted.needs)
        width, before = len(header), lines.line_num
        block: Block = []
        held = source.pieces
        while True:
            if source.pieces != held:
                yield block
                block, held = [], source.pieces
            try:
                cells = next(lines)
            except StopIteration:
                break
            except (parser.Error, _TooLongError) as error:
                wrong = "" if isinstance(error, _TooLongError) else f"not CSV with {delimiter!r} between cells: "
                block.append(BadRow(f"line {before + 1}", f"{wrong}{error}"))
                before = lines.line_num + source.skipped
                continue
            if len(cells) == width:
                if source.has_nul and any("\0" in cell for cell in cells):
                    block.append(BadRow(f"line {before + 1}", "holds a NUL byte"))
                elif lines.line_num + source.skipped > before + 1 and sum(map(len, cells)) > limit:
                    block.append(BadRow(f"line {before + 1}", f"is longer than max_record_bytes ({limit})"))
                else:
                    block.append(dict(zip(header, cells, strict=True)))
            elif cells:
                block.append(BadRow(f"line {before + 1}", f"has {len(cells)} cells, the header has {width}"))
            before = lines.line_num + source.skipped
        yield block


@cache
def _parser(field_chars: int) -> Any:
    """Return a private instance of the `_csv` module whose fields may have so many characters.

    `csv.field_size_limit` would set the limit of every reader in the process.
    """
    spec = find_spec("_csv")
    assert spec and spec.loader
    parser: Any = module_from_spec(spec)
    spec.loader.exec_module(parser)
    parser.field_size_limit(field_chars)
    return parser


def _header(
    lines: Iterator[list[str]], csv_error: type[Exception], file: RawFile, read: Collection[str] | None
) -> list[str]:
    try:
        header = next(lines)
    except (StopIteration, csv_error, _TooLongError) as error:
        raise InputError(f"{file.relative}: no header line could be read ({error or 'the file ends'}).") from error
    repeated = sorted({name for name in header if header.count(name) > 1 and (read is None or name in read)})
    if repeated:
        raise InputError(f"{file.relative}: the header names {', '.join(map(repr, repeated))} more than once.")
    return header


class _Source:
    """The lines of a table, and what was seen of the file as they were taken."""

    def __init__(self, text: IO[str], limit: int) -> None:
        self.text, self.limit = text, limit
        self.pieces, self.has_nul, self.skipped = 0, False, 0
        self.lines = chain.from_iterable(self._pieces())

    def _pieces(self) -> Iterator[Iterable[str]]:
        for lines in bounded_lines(self._read, _cut, self.limit):
            self.pieces += 1
            yield lines if None not in lines else map(self._held, lines)  # type: ignore[misc]

    def _held(self, line: str | None) -> str:
        if line is None:
            self.skipped += 1  # the parser does not count what it does not get
            raise _TooLongError(f"is longer than max_record_bytes ({self.limit})")
        return line

    def _read(self, size: int) -> str:
        piece = self.text.read(size)
        self.has_nul = self.has_nul or "\0" in piece
        return piece


class _TooLongError(Exception):
    """A line is longer than a record may be; the parser forgets the record that it was in."""


def _cut(piece: str) -> list[str]:
    lines = list(io.StringIO(piece, newline=""))
    return lines if not lines[-1].endswith(("\n", "\r")) else [*lines, ""]
