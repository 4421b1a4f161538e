"""Compute Unicode's normal form NFC in time linear in the length of the text."""

import re
import unicodedata
from collections.abc import Set
from functools import cache

LONG_RUN = 64  # marks


def compose(text: str) -> str:
    """Return the text in NFC, in time linear in its length.

    Python orders marks by insertion, which takes minutes for a letter with 100,000 marks; therefore long runs are
    sorted first, as NFC sorts them.
    """
    if unicodedata.is_normalized("NFC", text):
        return text
    return unicodedata.normalize("NFC", text if len(text) < LONG_RUN else _long_runs().sub(_in_order, text))


@cache
def _marks() -> dict[str, str]:
    """Return every combining mark, and every character equivalent to marks, with the marks that it consists of."""
    parts = ((character, unicodedata.normalize("NFD", character)) for character in map(chr, range(0x300, 0x30000)))
    return {character: some for character, some in parts if all(map(unicodedata.combining, some))}


@cache
def _long_runs() -> re.Pattern[str]:
    return re.compile(f"{class_of(_marks().keys())}{{{LONG_RUN},}}")


def _in_order(run: re.Match[str]) -> str:
    marks = _marks()
    return "".join(sorted("".join(marks[mark] for mark in run[0]), key=unicodedata.combining))


def class_of(characters: Set[str]) -> str:
    """Return the characters as a regular expression's character class."""
    starts = sorted(c for c in characters if chr(ord(c) - 1) not in characters)
    ends = sorted(c for c in characters if chr(ord(c) + 1) not in characters)
    return "[" + "".join(f"{start}-{end}" for start, end in zip(starts, ends, strict=True)) + "]"
