"""How are the rows of a CSV or TSV file read?"""

import csv
from collections.abc import Collection, Iterator, Mapping
from typing import IO, Any

from authbench.errors import InputError
from authbench.ingest.files import RawFile
from authbench.ingest.rows import BadRow, Row, check_header


def read(file: RawFile, options: Mapping[str, Any]) -> Iterator[Row | BadRow]:
    """The rows under the names of the header, or of `options["header"]` if the file has none.

    A row with more or fewer cells than the header, with a stray quotation mark or a NUL byte, or that is too long is a
    bad row; positions are lines of the file.
    """
    limit = file.max_record_bytes
    csv.field_size_limit(2 * limit)  # a longer record is read to its end, up to here
    delimiter = options.get("delimiter", ",")
    with file.open_text(options.get("encoding", "utf-8")) as text:
        source = _lines(text, limit)
        if options.get("quoting", True):
            lines = csv.reader(source, delimiter=delimiter, strict=True)
        else:
            lines = csv.reader(source, delimiter=delimiter, quoting=csv.QUOTE_NONE, strict=True)
        header = options.get("header") or _header(lines, file, options.get("columns"))
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
                elif sum(map(len, cells)) > limit:
                    yield BadRow(f"line {start + 1}", f"is longer than max_record_bytes ({limit})")
                else:
                    yield dict(zip(header, cells, strict=True))
            elif cells:
                yield BadRow(f"line {start + 1}", f"has {len(cells)} cells, the header has {width}")
            start = lines.line_num


def _header(lines: Iterator[list[str]], file: RawFile, read: Collection[str] | None) -> list[str]:
    try:
        header = next(lines)
    except (StopIteration, csv.Error) as error:
        raise InputError(f"{file.relative}: no header line could be read ({error or 'the file ends'}).") from error
    repeated = sorted({name for name in header if header.count(name) > 1 and (read is None or name in read)})
    if repeated:
        raise InputError(f"{file.relative}: the header names {', '.join(map(repr, repeated))} more than once.")
    return header


def _lines(text: IO[str], limit: int) -> Iterator[str]:
    """The lines; one beyond the limit becomes a single cell that is too large, which makes its record a bad row."""
    while line := text.readline(limit + 1):
        if len(line) <= limit:
            yield line
            continue
        while line and not line.endswith(("\n", "\r")):
            line = text.readline(limit)
        yield "x" * (2 * limit + 1) + "\n"
