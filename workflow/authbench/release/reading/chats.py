"""Read the messages of chats that Telegram Desktop (JSON), WhatsApp (text) or DiscordChatExporter (JSON) exported.

Whatever its sender did not write (`left_out`) has no text: lines of the app, media, forwarded messages, bots.
"""

import re
from collections.abc import Iterator
from typing import Any

from authbench.config.registry.readers import App, ChatReader
from authbench.core.json_values import JsonMapping
from authbench.core.storage.raw_files import RawFile, UnreadableFile
from authbench.release.reading import rows
from authbench.release.reading.json_records import Window
from authbench.release.reading.units import Units

SYSTEM, FORWARDED, BOT = LEFT_OUT = ("system_or_media", "forwarded", "bot")
_HEAD = 1 << 14  # characters that tell the app
_TELEGRAM = re.compile(
    r'"type":\s*"(?:personal_chat|bot_chat|saved_messages|(?:private|public)_\w+)"'
    r'|"personal_information":\s*\{|"(?:left_chats|chats|contacts|frequent_contacts|sessions)":\s*\{\s*"(?:about|list)":'
)
_DISCORD = re.compile(r'\{\s*"guild":\s*\{.*?"channel":\s*\{', re.DOTALL)
_BY_DISCORD_USERS = ("Default", "Reply", "19")  # types of messages; 19: a reply, in old exports
_MARKS = "\u200e\u200f\u202a\u202c\u2068\u2069\ufeff"  # directions of writing
_OF_NAMES = f"{_MARKS}~ \u202f\xa0"  # ~ precedes names outside the address book
# 13/02/24, 21:05 - Name: text; [13.02.2024, 9:05:33 PM] Name: text
_BEGINS = re.compile(
    rf"[{_MARKS}]*(\[)?(\d{{1,4}}([./-])\d{{1,2}}\3\d{{1,4}})\.?[^\d\]]{{1,6}}\d{{1,2}}[:.]\d\d[^\]-]{{0,16}}?"
    r"(?(1)\]| -) (.*)"
)
# The mark precedes whatever the app has written in place of a text, in any language.
_OF_WHATSAPP = re.compile(
    r"\u200e|<[^<>]{3,60}>$|null$|(?:This message was|You) deleted|\S+ \(file attached\)$", re.IGNORECASE
)
_EDITED = re.compile(r"\s*(?:\u200e<[^<>]{3,60}>|<This message was edited>)$")


def app_of(file: RawFile) -> App | None:
    """Return the app that exported a JSON or text file, by its first characters; None for other files."""
    try:
        with file.open_binary() as stream:
            head = stream.peek(_HEAD)[:_HEAD].decode("utf-8", "replace").lstrip("\ufeff\r\n\t ")  # type: ignore[attr-defined]
    except UnreadableFile:
        return None
    if head.startswith("{"):
        return "discord" if _DISCORD.match(head) else "telegram" if _TELEGRAM.search(head) else None
    return "whatsapp" if _BEGINS.match(head) else None


@rows.counting("messages")
def read(file: RawFile, options: ChatReader, wanted: rows.Wanted, units: Units) -> Iterator[rows.Block]:
    """Yield a record per message: `from` (the account), `name`, `date`, `id`, `text` and `left_out`.

    WhatsApp has no accounts and ids: `from` is the name. A message longer than `max_record_bytes` is a bad row, as are
    lines before the first message.
    """
    yield from rows.in_blocks(_lines(file) if options.app == "whatsapp" else _elements(file, options.app), units)


def _row(author: object, name: Any, date: object, number: object, text: str, left_out: str | None) -> rows.Row:
    left_out = left_out or (None if text.strip() else SYSTEM)
    plain = (str(one) if isinstance(one, str | int) else None for one in (author, name, date, number))
    row: rows.Row = dict(zip(("from", "name", "date", "id"), plain, strict=True))
    return {**row, "text": None if left_out else text, "left_out": left_out}


def _elements(file: RawFile, app: App) -> Iterator[rows.Sized]:
    """Yield the elements of all arrays called `messages`."""
    limit = file.max_record_bytes
    with file.open_text("utf-8", newline="\n") as text:
        window = Window(file, text)
        for chat, message, line, size in _messages(window, rows.DEEPEST):
            if size > limit:
                yield rows.BadRow(f"line {line}", f"is longer than max_record_bytes ({limit})"), 0
            elif not isinstance(message, dict) or rows.nested_deeper(message):
                yield rows.BadRow(f"line {line}", f"is not a JSON object, or nested more than {rows.DEEPEST} deep"), 0
            else:
                yield _of_telegram(message, chat) if app == "telegram" else _of_discord(message), size
        if window.peek():
            window.fail(f"the chats end, but {window.peek()!r} follows")


def _messages(window: Window, deepest: int, wanted: bool = False) -> Iterator[tuple[object, Any, int, int]]:
    """Yield each message with its chat's id, its line and its length; values elsewhere are passed over one by one."""
    if not deepest:
        window.fail("lists and objects are nested too deeply")
    chat = None
    for key in window.items():
        opening, line = window.peek(), window.at()
        if wanted:
            yield None, window.value(), line, window.size
        elif opening not in ("{", "["):
            chat = window.value() if key == "id" else (window.value(), chat)[1]
        else:
            is_chat = key == "messages" and opening == "["
            for inner, *found in _messages(window, deepest - 1, is_chat):
                yield chat if is_chat else inner, *found


def _of_telegram(message: JsonMapping, chat: object) -> rows.Row:
    parts = message.get("text") or ""
    parts = parts if isinstance(parts, list) else [parts]
    text = "".join(str(one.get("text", "") if isinstance(one, dict) else one) for one in parts)
    left_out = SYSTEM if message.get("type") != "message" else BOT if "via_bot" in message else None
    left_out = FORWARDED if "forwarded_from" in message else left_out
    name = message.get("from")
    number = f"{chat}/{message.get('id')}"  # messages are numbered within their chat
    return _row(message.get("from_id", name), name, str(message.get("date") or "")[:10], number, text, left_out)


def _of_discord(message: JsonMapping) -> rows.Row:
    author = message.get("author")
    author = author if isinstance(author, dict) else {}
    left_out = None if message.get("type") in _BY_DISCORD_USERS else SYSTEM
    left_out = BOT if author.get("isBot") else FORWARDED if message.get("forwardedMessage") else left_out
    day, text = str(message.get("timestamp") or "")[:10], str(message.get("content") or "")
    return _row(author.get("id"), author.get("name"), day, message.get("id"), text, left_out)


def _lines(file: RawFile) -> Iterator[rows.Sized]:
    """Yield the messages of a text; a message extends to the line before the next one that begins with a time."""
    lines, first, size, number = list[str](), 1, 0, 0
    with file.open_text("utf-8", newline="\n") as text:
        for some in rows.bounded_lines(text.read, lambda piece: piece.split("\n"), file.max_record_bytes):
            for line in some:
                number += 1
                if line is not None and lines and _BEGINS.match(line):
                    yield _of_whatsapp(lines, first, size, file.max_record_bytes)
                    lines, first, size = [], number, 0
                size += file.max_record_bytes + 1 if line is None else len(line) + 1
                if line is not None and (size <= file.max_record_bytes or not lines):
                    lines.append(line.removesuffix("\r"))
    if any(map(str.strip, lines)) or size > file.max_record_bytes:
        yield _of_whatsapp(lines, first, size, file.max_record_bytes)


def _of_whatsapp(lines: list[str], number: int, size: int, limit: int) -> rows.Sized:
    begins = _BEGINS.match(lines[0]) if lines else None
    if size > limit:
        return rows.BadRow(f"line {number}", f"is longer than max_record_bytes ({limit})"), 0
    if begins is None:
        return rows.BadRow(f"line {number}", "lines before the first message"), 0
    name, colon, text = begins[4].partition(": ")
    text = _EDITED.sub("", "\n".join([text, *lines[1:]])).strip()
    author = name.strip(_OF_NAMES) or None if colon else None
    left_out = SYSTEM if not colon or _OF_WHATSAPP.match(text) else None
    return _row(author, author, begins[2], None, text, left_out), size
