"""Read records of plain text files.

A file is a record, or several if the source defines a separator. Lines above the text (title, author, editors'
fields) are its header: it is cut off, and the source defines the fields to extract from it.
"""

from collections.abc import Iterator

import regex

from authbench.config.registry.readers import Encoding, TextReader
from authbench.core.storage.raw_files import RawFile
from authbench.release.reading.rows import BadRow, Block, Row, Wanted, counting, in_blocks
from authbench.release.reading.units import Units


@counting("parts")
def read(file: RawFile, options: TextReader, wanted: Wanted, units: Units) -> Iterator[Block]:
    """Yield the records of a text file: fields `text`, `part` (1, 2, ...), and the header's fields.

    The header extends to the first match of `header_ends` (without a match, there is no header); a field's value is the
    first group of its pattern. `split` is a pattern that separates the records of a file.
    """
    text = whole_text(file, options.encoding)
    if isinstance(text, BadRow):
        yield from in_blocks([(text, 0)], units)
        return
    header, text = _cut_header(text, options.header_ends)
    fields: Row = {name: _first_group(pattern, header) for name, pattern in options.header.items()}
    records = parts(text, options.split)
    units.found += (found := len(_split(text, options.split)))
    units.records += len(records)
    units.blank += found - len(records)
    numbered = enumerate(records, start=1)
    yield from in_blocks(({**fields, "part": number, "text": part}, len(part)) for number, part in numbered)


def whole_text(file: RawFile, encoding: Encoding) -> str | BadRow:
    """Return `marked_text`, or a bad row also for a NUL byte, which no text has: another encoding, or no text."""
    text = marked_text(file, encoding)
    if isinstance(text, str) and (at := text.find("\0")) >= 0:
        return BadRow(f"line {text.count(chr(10), 0, at) + 1}", "holds a NUL byte")
    return text


def marked_text(file: RawFile, encoding: Encoding) -> str | BadRow:
    """Return the text of a file with `\\n` line ends; a bad row if it exceeds the record limit.

    A NUL byte stays: a damaged post does not justify dropping the other posts of a file.
    """
    with file.open_text(encoding) as stream:
        text = stream.read(file.max_record_bytes + 1)
    if len(text) > file.max_record_bytes:
        return BadRow("line 1", f"larger than {file.max_record_bytes} characters")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _cut_header(text: str, header_ends: str | None) -> tuple[str, str]:
    """Return header and text; without a match (or a pattern) the header is empty.

    >>> _cut_header("Title\\nName\\n\\nOnce", r"\\n\\n")
    ('Title\\nName\\n\\n', 'Once')
    """
    match = regex.search(header_ends, text, flags=regex.MULTILINE) if header_ends else None
    return (text[: match.end()], text[match.end() :]) if match else ("", text)


def _first_group(pattern: str, header: str) -> str | None:
    match = regex.search(pattern, header, flags=regex.MULTILINE)
    return match.group(1).strip() or None if match else None


def parts(text: str, split: str | None) -> list[str]:
    """Return the records of a text: the non-empty parts between matches of `split`."""
    return [part.strip("\n") for part in _split(text, split) if part.strip()] or [""]


def _split(text: str, split: str | None) -> list[str]:
    return regex.split(split, text, flags=regex.MULTILINE) if split else [text]
