"""What is a character: letter, mark, number, space; which script, which part of a word?

One table per property over all code points, built once from the Unicode database of the `regex` package, so that
compiled loops look characters up instead of asking for each.
"""

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
import regex
from numpy.typing import NDArray

CODE_POINTS = 0x110000

# Which scripts a text in a language is written in (AuthBench paper, A.3). A language that is not here expects none.
EXPECTED_SCRIPTS = {
    "en": ("Latin",),
    "es": ("Latin",),
    "fr": ("Latin",),
    "de": ("Latin",),
    "ru": ("Cyrillic",),
    "ar": ("Arabic",),
    "hi": ("Devanagari",),
    "zh": ("Han", "Bopomofo"),
    "ja": ("Han", "Hiragana", "Katakana"),
    "ko": ("Hangul", "Han"),
}
SCRIPTS = ("Latin", "Cyrillic", "Arabic", "Devanagari", "Han", "Bopomofo", "Hiragana", "Katakana", "Hangul")
OTHER_SCRIPT = 1 << len(SCRIPTS)
ANY_SCRIPT = 0  # letters that belong to all scripts (Common, Inherited)

# Compiled loops elsewhere keep the numbers below as they were when compiled: after a change, delete __pycache__.
SYMBOL, LETTER, MARK, NUMBER, SPACE = range(5)
KINDS = {LETTER: r"\p{L}", MARK: r"\p{M}", NUMBER: r"\p{N}", SPACE: r"\p{White_Space}"}

# Word_Break classes of UAX #29, folded to those that matter for words; SINGLE is our tailoring: a word by itself.
OTHER, BREAK, EXTEND, ALETTER, NUMERIC, CONNECTOR, MID_LETTER, MID_NUMBER, MID_BOTH, SINGLE = range(10)
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


@cache
def kinds() -> NDArray[np.uint8]:
    """SYMBOL, LETTER, MARK, NUMBER or SPACE for every code point."""
    table = np.full(CODE_POINTS, SYMBOL, np.uint8)
    for kind, pattern in KINDS.items():
        _mark(table, pattern, kind)
    return table


@cache
def word_breaks() -> NDArray[np.uint8]:
    """The Word_Break class (UAX #29, with Han and Kana as SINGLE) of every code point."""
    table = np.full(CODE_POINTS, OTHER, np.uint8)
    for word_break, pattern in WORD_BREAKS:
        _mark(table, pattern, word_break)
    return table


@cache
def script_masks() -> NDArray[np.uint16]:
    """A bit for each of SCRIPTS that uses the code point (Script_Extensions), OTHER_SCRIPT, or ANY_SCRIPT."""
    table = np.full(CODE_POINTS, OTHER_SCRIPT, np.uint16)
    _mark(table, r"[\p{Scx=Common}\p{Scx=Inherited}]", ANY_SCRIPT)
    for script in SCRIPTS:
        for start, end in _spans(rf"\p{{Scx={script}}}"):
            table[start:end] &= ~np.uint16(OTHER_SCRIPT)
            table[start:end] |= np.uint16(script_mask([script]))
    return table


@cache
def alphabetic_letters() -> NDArray[np.bool_]:
    """Which code points are letters of an alphabetic script, where a letter alone is hardly ever a word."""
    elsewhere = script_masks() & script_mask(["Hangul", "Han", "Bopomofo"]) != 0
    letters: NDArray[np.bool_] = (kinds() == LETTER) & (word_breaks() == ALETTER) & ~elsewhere
    return letters


def script_mask(scripts: Iterable[str]) -> int:
    return sum(1 << SCRIPTS.index(script) for script in scripts)


def expected_masks(langs: Sequence[str]) -> NDArray[np.uint16]:
    """The scripts expected of each language, as a mask; 0 where nothing is known of the language."""
    return np.array([script_mask(EXPECTED_SCRIPTS.get(lang, ())) for lang in langs], np.uint16)


def _mark(table: NDArray[np.uint8] | NDArray[np.uint16], pattern: str, value: int) -> None:
    for start, end in _spans(pattern):
        table[start:end] = value


def _spans(pattern: str) -> Iterable[tuple[int, int]]:
    """Ranges of code points that match a class of characters."""
    for match in regex.finditer(rf"(?V1){pattern}+", _all_characters()):
        yield match.span()


@cache
def _all_characters() -> str:
    return "".join(map(chr, range(CODE_POINTS)))
