"""The normal form N(content), as docs/how-it-works.md ("normalize") defines it.

A text is in this form if it is in NFC, white space is single spaces within a line, one break between lines and two
between paragraphs, none at either end, and no character is a control, zero-width or bidirectional mark or a soft
hyphen. The joiners U+200C and U+200D and variation selectors are letters' own: Hindi, Persian and emoji need them.
"""

import unicodedata
from functools import cache

import polars as pl

# Every character of these kinds; the test of all of Unicode holds that there is none elsewhere.
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
    """Return the place of each text that is not in the normal form, with what is wrong in words."""
    misplaced = contents.str.contains(rf"[{_class()}]|^\s|\s$|  | \n|\n |\n\n\n").arg_true()
    found = [(place, _problem(text)) for place, text in zip(misplaced, contents.gather(misplaced), strict=True)]
    composed = unicodedata.is_normalized
    return found + [(place, "not NFC") for place, text in enumerate(contents) if not composed("NFC", text)]


def _problem(text: str) -> str:
    """Return what is wrong in a text with a character that does not belong where it is."""
    if text != text.strip():
        return "white space at an end"
    if found := sorted(_forbidden() & set(text)):
        return f"U+{ord(found[0]):04X}"
    return "three line breaks in a row" if "\n\n\n" in text else "white space beside white space"


@cache
def _forbidden() -> frozenset[str]:
    """Return every character that the normal form has not, NFC aside."""
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
    """Return these characters as the inside of a class of polars' regular expressions."""
    return "".join(rf"\x{{{ord(character):x}}}" for character in sorted(_forbidden()))
