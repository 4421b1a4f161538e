"""Test the normal form N(content), which docs/how-it-works.md ("normalize") defines.

A text in this form is in NFC, has single spaces within a line, one break between lines, two between paragraphs, no
white space at either end, and no control, zero-width or bidirectional character or soft hyphen. The joiners U+200C and
U+200D and variation selectors are allowed: Hindi, Persian and emoji need them.
"""

import unicodedata
from functools import cache

import polars as pl

# Every character of these kinds; a test over all of Unicode checks that there are no others.
_POINTS = [*range(0x3001), 0xFEFF]
_BIDIRECTIONAL = frozenset(("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"))
_MARKS = frozenset(
    (
        "SOFT HYPHEN",
        "ARABIC LETTER MARK",
        "LEFT-TO-RIGHT MARK",
        "RIGHT-TO-LEFT MARK",
        "ZERO WIDTH SPACE",
        "WORD JOINER",
        "ZERO WIDTH NO-BREAK SPACE",
    )
)


def abnormal(contents: pl.Series) -> list[tuple[int, str]]:
    """Return the row of each text that is not in the normal form, with the reason in words."""
    misplaced = contents.str.contains(rf"[{_class()}]|^\s|\s$|  | \n|\n |\n\n\n").arg_true()
    found = [(place, _problem(text)) for place, text in zip(misplaced, contents.gather(misplaced), strict=True)]
    composed = unicodedata.is_normalized
    return found + [(place, "not NFC") for place, text in enumerate(contents) if not composed("NFC", text)]


def _problem(text: str) -> str:
    """Describe the first forbidden character of a text."""
    if text != text.strip():
        return "white space at an end"
    if found := sorted(_forbidden() & set(text)):
        return f"U+{ord(found[0]):04X}"
    return "three line breaks in a row" if "\n\n\n" in text else "white space beside white space"


@cache
def _forbidden() -> frozenset[str]:
    """Return every character that the normal form excludes, apart from NFC."""
    return frozenset(filter(_is_forbidden, map(chr, _POINTS)))


def _is_forbidden(character: str) -> bool:
    category = unicodedata.category(character)
    if category in ("Cc", "Zs", "Zl", "Zp"):
        return character not in " \n"
    return category == "Cf" and (
        unicodedata.bidirectional(character) in _BIDIRECTIONAL or unicodedata.name(character, "") in _MARKS
    )


@cache
def _class() -> str:
    """Return these characters as the inside of a character class for polars' regular expressions."""
    return "".join(rf"\x{{{ord(character):x}}}" for character in sorted(_forbidden()))
