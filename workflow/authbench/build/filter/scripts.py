"""Classify characters by class and script.

A table over all code points is built from the Unicode database of the `regex` package, so compiled loops look up all
properties of a character at once.
"""

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
import regex
from numpy.typing import NDArray

from authbench.config.languages import SCRIPTS, languages
from authbench.core.arrays import BOOL, U8, U32

CODE_POINTS = 0x110000
# Unicode has no assignments elsewhere except for private use: no letter, mark, number, space or script.
ASSIGNED = ((0, 0x40000), (0xE0000, 0xE1000))

OTHER_SCRIPT = 1 << len(SCRIPTS)
ANY_SCRIPT = 0  # letters that belong to all scripts (Common, Inherited)

SYMBOL, LETTER, MARK, NUMBER, SPACE = range(5)
KINDS = {LETTER: r"\p{L}", MARK: r"\p{M}", NUMBER: r"\p{N}", SPACE: r"\p{White_Space}"}

# Word_Break classes of UAX #29, reduced to those that matter for words; SINGLE is our addition: a word by itself.
OTHER, BREAK, EXTEND, ALETTER, NUMERIC, CONNECTOR, MID_LETTER, MID_NUMBER, MID_BOTH, SINGLE = range(0, 160, 16)
WORD_BREAKS = (
    (BREAK, r"[\p{WB=CR}\p{WB=LF}\p{WB=Newline}]"),
    (EXTEND, r"[\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}]"),
    (ALETTER, r"[\p{WB=ALetter}\p{WB=Hebrew_Letter}]"),
    (NUMERIC, r"\p{WB=Numeric}"),
    (CONNECTOR, r"\p{WB=ExtendNumLet}"),
    (MID_LETTER, r"\p{WB=MidLetter}"),
    (MID_NUMBER, r"\p{WB=MidNum}"),
    (MID_BOTH, r"[\p{WB=MidNumLet}\p{WB=Single_Quote}]"),
    (SINGLE, r"[\p{WB=Katakana}[\p{L}&&[\p{Han}\p{Hiragana}\p{Katakana}]]]"),
)

# A quotation ends at the matching mark; it is ignored if its line ends first.
QUOTES = {"“": "”", "„": "“”", "«": "»", "»": "«", "「": "」", "『": "』", '"': '"'}

# The layout of `properties`: masks of the kind and the word break, flags, and the first bit of the scripts.
KIND, WORD_BREAK, ALPHABETIC, QUOTING, SCRIPT_SHIFT = 0x7, 0xF0, 0x100, 0x200, 16


@cache
def properties() -> U32:
    """Return all properties of every code point in a number.

    Returns:
        Shape (0x110000,), bit fields.
    """
    table = _script_masks().astype(np.uint32) << np.uint32(SCRIPT_SHIFT) | kinds() | _word_breaks()
    table[_alphabetic_letters()] |= ALPHABETIC
    table[[ord(mark) for mark in (*QUOTES, ">")]] |= QUOTING
    return table


@cache
def kinds() -> U8:
    """Return SYMBOL, LETTER, MARK, NUMBER or SPACE for every code point, shape (CODE_POINTS,)."""
    table = np.full(CODE_POINTS, SYMBOL, np.uint8)
    for kind, pattern in KINDS.items():
        _mark(table, pattern, kind)
    return table


@cache
def _word_breaks() -> U8:
    """Return the Word_Break class (UAX #29, with Han and Kana as SINGLE) of every code point."""
    table = np.full(CODE_POINTS, OTHER, np.uint8)
    for word_break, pattern in WORD_BREAKS:
        _mark(table, pattern, word_break)
    return table


@cache
def _script_masks() -> NDArray[np.uint16]:
    """Return a bit for each of SCRIPTS that uses the code point (Script_Extensions), OTHER_SCRIPT, or ANY_SCRIPT."""
    table = np.full(CODE_POINTS, OTHER_SCRIPT, np.uint16)
    _mark(table, r"[\p{Scx=Common}\p{Scx=Inherited}]", ANY_SCRIPT)
    for script in SCRIPTS:
        for start, end in _spans(rf"\p{{Scx={script}}}"):
            table[start:end] &= ~np.uint16(OTHER_SCRIPT)
            table[start:end] |= np.uint16(_script_mask([script]))
    return table


@cache
def _alphabetic_letters() -> BOOL:
    """Return which code points are letters of an alphabetic script, where a single letter is hardly ever a word."""
    elsewhere = _script_masks() & _script_mask(["Hangul", "Han", "Bopomofo"]) != 0
    letters: BOOL = (kinds() == LETTER) & (_word_breaks() == ALETTER) & ~elsewhere
    return letters


def quote_marks() -> tuple[U8, U8]:
    """Return for every code point the number of the quotation it opens (0: none), and a bit for each that it closes.

    Returns:
        Two arrays of shape (CODE_POINTS,).
    """
    opens, closes = np.zeros(CODE_POINTS, np.uint8), np.zeros(CODE_POINTS, np.uint8)
    for number, (opening, closings) in enumerate(QUOTES.items(), start=1):
        opens[ord(opening)] = number
        for closing in closings:
            closes[ord(closing)] |= 1 << number
    return opens, closes


def _script_mask(scripts: Iterable[str]) -> int:
    return sum(1 << SCRIPTS.index(script) for script in scripts)


def written_in(script: str) -> list[str]:
    """Return the languages that are written in a script, also among others, by the table of languages."""
    return [code for code, language in languages().items() if script in language.scripts]


def expected_masks(langs: Sequence[str]) -> NDArray[np.uint16]:
    """Return the expected scripts of each language, as a mask; 0 for an unknown language.

    Returns:
        Shape (languages given,), a bit for each script.
    """
    known = {lang: _script_mask(languages()[lang].scripts) for lang in set(langs) if lang in languages()}
    return np.array([known.get(lang, 0) for lang in langs], np.uint16)


def _mark(table: U8 | NDArray[np.uint16], pattern: str, value: int) -> None:
    for start, end in _spans(pattern):
        table[start:end] = value


def _spans(pattern: str) -> Iterable[tuple[int, int]]:
    """Return the ranges of code points that match a class of characters."""
    for (start, _), characters in zip(ASSIGNED, _characters(), strict=True):
        for match in regex.finditer(rf"(?V1){pattern}+", characters):
            yield start + match.start(), start + match.end()


@cache
def _characters() -> tuple[str, ...]:
    return tuple("".join(map(chr, range(*span))) for span in ASSIGNED)
