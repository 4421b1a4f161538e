"""Read rows of a table in XML: a `<row Id="1" Body="..." />` per line, as in Stack Exchange's data dumps.

Every line is parsed separately: a broken record affects no other, and memory holds only a piece of the file.
"""

import codecs
import re
from collections.abc import Iterator
from xml.parsers import expat

from authbench.config.registry.readers import XmlRowsReader
from authbench.core.errors import InputError
from authbench.core.storage.raw_files import RawFile
from authbench.release.reading.rows import BadRow, Block, Row, Wanted, count_rows, counting, utf8_lines
from authbench.release.reading.units import Units

_ROW = re.compile(rb"\s*<row[\s/>]")
_DECLARATION = re.compile(rb"\s*<\?xml[^>]*\?>")
_OPENING = re.compile(rb"\s*<([A-Za-z_][\w.-]*)>\s*")
_CLOSING = re.compile(rb"\s*</([A-Za-z_][\w.-]*)>\s*")


@counting("lines")
def read(file: RawFile, options: XmlRowsReader, wanted: Wanted, units: Units) -> Iterator[Block]:
    """Yield the attributes of each row as fields; missing attributes are absent.

    A line that is not a well-formed row, or is longer than `max_record_bytes`, is a bad row.

    Raises:
        InputError: the element around the rows is missing or not closed, as in a truncated file.
    """
    around, closed, before = b"", False, 0
    with file.open_text(options.encoding, newline="\n") as text:
        for lines in utf8_lines(text, file.max_record_bytes):
            block: Block = []
            for number, line in enumerate(lines, before + 1):
                units.found += 1
                if line is None:
                    block.append(BadRow(f"line {number}", f"is longer than max_record_bytes ({file.max_record_bytes})"))
                elif _ROW.match(line):
                    block.append(_row(line, number))
                elif not line.strip():
                    units.blank += 1
                elif not around and (rest := _without_declaration(line)) is not None:
                    units.header += 1
                    around = rest
                elif around and not closed and (end := _CLOSING.fullmatch(line)) and end[1] == around:
                    units.header += 1
                    closed = True
                else:
                    block.append(BadRow(f"line {number}", "is no <row ... /> of the table"))
            count_rows(block, units)
            before += len(lines)
            if block:
                yield block
    if not closed:
        name = around.decode() or "posts"
        raise InputError(
            f"{file.relative}, line {before}: the file ends without </{name}>: it was cut off, or is no table of rows. "
            "Unpack or fetch it anew."
        )


def _without_declaration(line: bytes) -> bytes | None:
    """Return the element that a line opens, empty for a line with only the declaration; None for other lines."""
    declaration = _DECLARATION.match(line)
    rest = line[declaration.end() :] if declaration else line
    if declaration and not rest.strip():
        return b""
    opened = _OPENING.fullmatch(rest.removeprefix(codecs.BOM_UTF8))
    return opened[1] if opened else None


def _row(line: bytes, number: int) -> Row | BadRow:
    """Return the attributes of a row; only XML's predefined entities are expanded.

    >>> _row(b'<row Id="1" Body="&lt;p&gt;A &amp;amp; B" />', 1)
    {'Id': '1', 'Body': '<p>A &amp; B'}
    """
    found: Row = {}
    depth = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth == 1:
            found.update(attributes)

    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler = start
    try:
        parser.Parse(line.strip(), True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        return BadRow(f"line {number}, column {error.offset + 1}", f"not well-formed XML ({reason})")
    return found if depth == 1 else BadRow(f"line {number}", "holds elements inside the row")
