"""Read the messages of an mbox file: who sent each, when, on what, and its plain text.

A message begins with a line `From …`, the first of the file or after an empty line. Of several parts, the first plain
text that is not an attachment counts.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from email import message_from_bytes, policy
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import parseaddr, parsedate_to_datetime
from typing import Any

from authbench.config.registry.readers import MboxReader
from authbench.core.storage.raw_files import RawFile
from authbench.release.reading.rows import BadRow, Block, Row, Sized, Wanted, bounded_lines, counting, in_blocks
from authbench.release.reading.units import Units

_BEGINS = b"From "
_DEEPEST = 50  # the parser is recursive
_LONGEST_HEADER = 2_000  # characters; decoding takes quadratic time
_QUOTED_BEGIN = re.compile(rb"^>(>*From )", re.MULTILINE)


@counting("messages")
def read(file: RawFile, options: MboxReader, wanted: Wanted, units: Units) -> Iterator[Block]:
    """Yield a record per message: `from` (the address), `name`, `subject`, `date` (ISO), `id` and `text`.

    A header that is absent or cannot be read is null, as is the text of a message without plain text. A message longer
    than `max_record_bytes`, or not in its stated encoding, is a bad row, as are lines before the first message.
    """
    yield from in_blocks(_rows(file), units)


def _rows(file: RawFile) -> Iterator[Sized]:
    for number, message in _messages(file, file.max_record_bytes):
        row = _row(message, number) if isinstance(message, bytes) else BadRow(f"line {number}", message)
        yield row, len(message)


def _messages(file: RawFile, limit: int) -> Iterator[tuple[int, bytes | str]]:
    """Yield the number of the first line of each message, and the message, or why there is none."""
    lines: list[bytes] = []
    first, size, begun, blank = 1, 0, False, True

    def ended() -> Iterator[tuple[int, bytes | str]]:
        if not begun and size <= limit and not any(map(bytes.strip, lines)):
            return
        if size > limit:
            yield first, f"is longer than max_record_bytes ({limit})"
        elif begun:
            yield first, b"\n".join(lines)
        else:
            yield first, "lines before the first message. Expected a line that begins with From"

    with file.open_binary() as stream:
        number = 0
        for some in bounded_lines(stream.read, lambda piece: piece.split(b"\n"), limit):
            for line in some:
                number += 1
                if blank and line is not None and line.startswith(_BEGINS):
                    yield from ended()
                    lines, first, size, begun = [], number, 0, True
                elif line is None:
                    size = limit + 1
                else:
                    size += len(line) + 1
                    if size <= limit:
                        lines.append(line)
                blank = line is not None and not line.strip()
    yield from ended()


def _row(content: bytes, number: int) -> Row | BadRow:
    if content.lower().count(b"multipart/") > _DEEPEST:
        return BadRow(f"line {number}", f"has more than {_DEEPEST} parts of parts")
    try:
        message = message_from_bytes(content, policy=policy.compat32)
        part = _plain_part(message)
        sender = _header(message, "From") or ""
        if sender.count("(") > _DEEPEST:
            raise ValueError("comments in comments")
        name, address = parseaddr(sender)
        return {
            "from": address.lower() or None,
            "name": name or None,
            "subject": _header(message, "Subject"),
            "date": _day(message),
            "id": _header(message, "Message-ID"),
            "text": None if part is None else _decoded(part),
        }
    except (UnicodeDecodeError, LookupError) as problem:
        return BadRow(f"line {number}", f"is not in the encoding that it states: {type(problem).__name__}")
    except (ValueError, TypeError, AttributeError, MessageError) as problem:  # of the parser, for malformed parts
        return BadRow(f"line {number}", f"is malformed: {type(problem).__name__}")


def _plain_part(message: Message) -> Message | None:
    parts = (part for part in message.walk() if part.get_content_type() == "text/plain")
    return next((part for part in parts if part.get_content_disposition() != "attachment"), None)


def _decoded(part: Message) -> str:
    """Return the text of a part; UTF-8 if it states no encoding."""
    content: Any = part.get_payload(decode=True)
    charset = part.get_content_charset("utf-8").replace("us-ascii", "utf-8")
    return _QUOTED_BEGIN.sub(rb"\1", content).decode(charset).replace("\r\n", "\n")


def _header(message: Message, name: str) -> str | None:
    """Return the beginning of a header on a line."""
    if message[name] is None:
        return None
    value = str(message[name])[:_LONGEST_HEADER]
    with suppress(ValueError, LookupError, TypeError, MessageError):
        value = str(make_header(decode_header(value)))
    return " ".join(value.split()) or None


def _day(message: Message) -> str | None:
    try:
        return parsedate_to_datetime(_header(message, "Date") or "").date().isoformat()
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
