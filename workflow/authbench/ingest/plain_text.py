"""How does a plain text file become records?

The file is one record, or many where the source says what stands between them. What stands above the text (title,
author, editors' fields) is its header: it is cut off, and the source names the fields it wants from it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import regex

from authbench.ingest.rows import BadRow, Block, Row, in_blocks
from authbench.storage.raw_files import RawFile


def read(file: RawFile, options: Mapping[str, Any]) -> Iterator[Block]:
    """The records of a text file: fields `text`, `part` (1, 2, ...), and those of the header.

    Options: `header_ends`, a regular expression: all up to its first match is the header (none: the text starts at
    once); `header`, field -> regular expression that is searched in the header, whose first group is the value;
    `split`, a regular expression of what separates the records of one file.
    """
    text = whole_text(file, options)
    if isinstance(text, BadRow):
        yield [text]
        return
    header, text = cut_header(text, options.get("header_ends"))
    fields: Row = {name: first_group(pattern, header) for name, pattern in options.get("header", {}).items()}
    numbered = enumerate(parts(text, options.get("split")), start=1)
    yield from in_blocks(({**fields, "part": number, "text": part}, len(part)) for number, part in numbered)


def whole_text(file: RawFile, options: Mapping[str, Any]) -> str | BadRow:
    """All of a file, with its line ends as `\\n`; a bad row if it is larger than a record may be."""
    with file.open_text(options.get("encoding", "utf-8")) as stream:
        text = stream.read(file.max_record_bytes + 1)
    if len(text) > file.max_record_bytes:
        return BadRow("line 1", f"larger than {file.max_record_bytes} characters")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def cut_header(text: str, header_ends: str | None) -> tuple[str, str]:
    """Header and text; without a match (or a pattern) the header is empty.

    >>> cut_header("Title\\nName\\n\\nOnce", r"\\n\\n")
    ('Title\\nName\\n\\n', 'Once')
    """
    match = regex.search(header_ends, text, flags=regex.MULTILINE) if header_ends else None
    return (text[: match.end()], text[match.end() :]) if match else ("", text)


def first_group(pattern: str, header: str) -> str | None:
    match = regex.search(pattern, header, flags=regex.MULTILINE)
    return match.group(1).strip() or None if match else None


def parts(text: str, split: str | None) -> list[str]:
    """The records of a text: the parts between matches of `split` that hold anything."""
    found = regex.split(split, text, flags=regex.MULTILINE) if split else [text]
    return [part.strip("\n") for part in found if part.strip()] or [""]
