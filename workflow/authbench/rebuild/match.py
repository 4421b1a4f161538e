"""Decide by its SHA-256 whether a text is a released text."""

from collections.abc import Iterator
from typing import NamedTuple

from authbench.identity import sha256_of_text
from authbench.normalize.endings import without_ending


class Wanted(NamedTuple):
    """Describe a released text: row, language, span of characters in the normalised text (none: all), and SHA-256."""

    row: int
    lang: str
    start: int | None
    end: int | None
    sha256: str


def as_released(content: str, wanted: Wanted) -> str | None:
    """Return the wanted part of a text if its SHA-256 equals the released text's."""
    if wanted.start is not None:
        text = single_breaks(content[wanted.start : wanted.end])
        return text if sha256_of_text(text) == wanted.sha256 else None
    return next((text for text in whole_forms(content) if sha256_of_text(text) == wanted.sha256), None)


def whole_forms(content: str) -> Iterator[str]:
    """Yield the forms in which an uncut text may have been released: itself, and without its signature."""
    yield single_breaks(content)
    yield from map(single_breaks, without_ending(content))


def single_breaks(text: str) -> str:
    """Return the text with each run of line breaks as one, as chunking leaves it.

    >>> single_breaks("a\\n\\n\\nb\\nc")
    'a\\nb\\nc'
    """
    while "\n\n" in text:
        text = text.replace("\n\n", "\n")
    return text
