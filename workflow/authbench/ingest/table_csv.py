"""How are the rows of a CSV or TSV file read?"""

import csv
from collections.abc import Iterator, Mapping
from typing import IO, Any

from authbench.errors import InputError
from authbench.ingest.files import RawFile
from authbench.ingest.rows import BadRow, Row, check_header


def read(file: RawFile, options: Mapping[str, Any]) -> Iterator[Row | BadRow]:
    """The rows under the names of the header, or of `options["header"]` if the file has none.

    A row with more or fewer cells than the header, with a stray quotation mark or a NUL byte is a bad row; positions
    are lines of the file.
    """
    csv.field_size_limit(file.max_record_bytes)
    delimiter = options.get("delimiter", ",")
    with file.open_text(options.get("encoding", "utf-8")) as text:
        source = _lines(text, file.max_record_bytes)
        if options.get("quoting", True):
            lines = csv.reader(source, delimiter=delimiter, strict=True)
        else:
            lines = csv.reader(source, delimiter=delimiter, quoting=csv.QUOTE_NONE, strict=True)
        header = options.get("header") or _header(lines, file)
        check_header(file.relative, header, options)
        width, start = len(header), lines.line_num
        while True:
            try:
                cells = next(lines)
            except StopIteration:
                return
            except csv.Error as error:
                yield BadRow(f"line {start + 1}", f"not CSV with {delimiter!r} between cells: {error}")
                start = lines.line_num
                continue
            if len(cells) == width:
                if any("\0" in cell for cell in cells):
                    yield BadRow(f"line {start + 1}", "holds a NUL byte")
                else:
                    yield dict(zip(header, cells, strict=True))
            elif cells:
                yield BadRow(f"line {start + 1}", f"has {len(cells)} cells, the header has {width}")
            start = lines.line_num


def _header(lines: Iterator[list[str]], file: RawFile) -> list[str]:
    try:
        header = next(lines)
    except (StopIteration, csv.Error) as error:
        raise InputError(f"{file.relative}: no header line could be read ({error or 'the file ends'}).") from error
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise InputError(f"{file.relative}: the header names {', '.join(map(repr, repeated))} more than once.")
    return header


def _lines(text: IO[str], limit: int) -> Iterator[str]:
    """The lines; of one beyond the limit as much as breaks the limit on cells."""
    while line := text.readline(limit + 2):
        yield line
        while len(line) > limit and not line.endswith(("\n", "\r")):
            line = text.readline(limit)
            if not line:
                break
