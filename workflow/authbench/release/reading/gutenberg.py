"""Read plain texts of Project Gutenberg without headers and footers.

The text around a book has changed since 1991: today a line `*** START OF THE PROJECT GUTENBERG EBOOK ... ***`, formerly
the end of the `SMALL PRINT`. It is followed by credits (`Produced by ...`); `End of the Project Gutenberg EBook of ...`
precedes the end mark. A file without marks is rejected, since its licence cannot be separated from the text.
"""

from collections import deque
from collections.abc import Iterator

import regex

from authbench.config.registry.readers import GutenbergReader
from authbench.core.storage.raw_files import RawFile
from authbench.release.reading.plain_text import marked_text
from authbench.release.reading.rows import BadRow, Block, Row, Wanted, counting, in_blocks
from authbench.release.reading.units import Units

_NAME = r"(?:THE |THIS )?(?:PROJECT|PROJEKT) GUTENBERG"
_FLAGS = regex.MULTILINE | regex.IGNORECASE
_BEGINS = regex.compile(
    rf"^[ \t]*+\*{{2,5}} ?(?:START|BEGINNING) OF (?:THE COPYRIGHTED|{_NAME})[^*]{{0,400}}+(?:\*{{2,5}}+.*+)?$", _FLAGS
)
_SMALL_PRINT_ENDS = regex.compile(r"^[ \t]*+\*{1,3}[ \t]*+END[ \t*]*+THE SMALL PRINT.*+$", _FLAGS)
_ENDS = regex.compile(
    rf"^[ \t]*+(?:\*{{2,5}} ?END OF (?:THE COPYRIGHTED|{_NAME})"
    rf"|\**+ ?(?:End of|Ende dieses|Ende von|Fin de|Fin du|Fine di|Fin del) {_NAME}"
    r"|\*\*This is a COPYRIGHTED Project Gutenberg Etext, Details Above)",
    _FLAGS,
)
_CREDIT = regex.compile(
    r"(?:(?:This |The )?(?:E-?text|E-?book|Project Gutenberg E-?text|HTML version|Updated editions?)[^\n]{0,40} "
    r"(?:was |were )?(?:produced|prepared|scanned|transcribed|created)|Produced by|Prepared by|Transcribed (?:from|by)"
    r"|Credits:|\[?Transcriber['’]?s'? notes?|Scanned by|Proofread|Character set encoding:"
    r"|\[?(?:Note|Redactor)[^\n]{0,30}Gutenberg)",
    regex.IGNORECASE,
)
_PARAGRAPH = regex.compile(r"\n[ \t]*\n\s*")
_FIELD = regex.compile(
    r"^(?P<name>[A-Z][A-Za-z ]{1,30}?):[ \t]++(?P<value>\S[^\n]*+(?:\n[ \t]++\S[^\n]*+)*+)", regex.MULTILINE
)
_FIRST_LINE = regex.compile(
    r"Project Gutenberg(?:'s|’s)?(?: E-?(?:text|book))?(?:,| of) (?P<title>[^\n]{1,200}?),?"
    r" (?:by|von|par) (?P<author>[^\n]{2,100})",
    regex.IGNORECASE,
)
_CREDITS = 6  # paragraphs after the mark that are searched for credits
_OF_THE_LICENCE = regex.compile(r"Project Gutenberg", regex.IGNORECASE)
_TAIL = 3_000  # characters at the end that are searched for an unmarked footer


@counting("files")
def read(file: RawFile, options: GutenbergReader, wanted: Wanted, units: Units) -> Iterator[Block]:
    """Yield the book of a file: `text`, and the fields of its header in lower case (`title`, `release_date`).

    If the header lacks lines for `title` and `author`, they come from the first line (`The Project Gutenberg Etext of
    X, by Y`). A file without a start mark, or with an unmarked footer, is a bad row.
    """
    text = marked_text(file, options.encoding)
    row = text if isinstance(text, BadRow) else book(text)
    yield from in_blocks([(row, 0)], units)


def book(text: str) -> Row | BadRow:
    """Return a book's fields and text, or the problem with its marks."""
    begins = _last(_BEGINS, text) or _last(_SMALL_PRINT_ENDS, text)
    if begins is None:
        return BadRow("line 1", "no line `*** START OF THE PROJECT GUTENBERG EBOOK`, nor an older form of it")
    header, body = text[: begins.start()], text[begins.end() :]
    ends = _ENDS.search(body)
    if ends is None and _OF_THE_LICENCE.search(body[-_TAIL:]):
        line = text.count("\n") + 1
        return BadRow(f"line {line}", "speaks of Project Gutenberg, and has no line `*** END OF` before its footer")
    if ends is not None:
        body = body[: ends.start()]
    return {**_fields(header), "text": _without_credits(body).strip("\n")}


def _last(pattern: "regex.Pattern[str]", text: str) -> "regex.Match[str] | None":
    """Return the last match before the first end mark: a header may have several marks."""
    end = _ENDS.search(text)
    found = deque(pattern.finditer(text, 0, end.start() if end else len(text)), 1)
    return found[0] if found else None


def _fields(header: str) -> Row:
    first = _FIRST_LINE.search(header)
    fields: Row = first.groupdict() if first else {}
    for field in _FIELD.finditer(header):
        name = field["name"].lower().replace(" ", "_")
        value = " ".join(field["value"].split())
        if name not in fields or (first is not None and name in first.groupdict() and fields[name] == first[name]):
            fields[name] = value
    return fields


def _without_credits(body: str) -> str:
    """Return a book without the initial paragraphs that name the makers of the file."""
    rest = body.lstrip()
    for _ in range(_CREDITS):
        if not _CREDIT.match(rest):
            break
        cut = _PARAGRAPH.search(rest)
        rest = rest[cut.end() :] if cut else ""
    return rest
