"""Fold texts, to make copies with different encodings of the same characters equal.

Folding applies NFKC compatibility forms and lower case, maps letters that look like Latin letters to Latin and decimal
digits to 0-9, and drops white space and invisible characters.
"""

import unicodedata
from functools import cache
from itertools import chain

import polars as pl

from authbench.lookalikes import LOOKALIKES

_VARIATION_SELECTORS = (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0), *range(0x180B, 0x1810))
_FILLERS = (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x640)  # the last is the tatweel
_PLANES = (range(0x80, 0x20000), range(0xE0000, 0xE0200))  # planes with format characters and digits
_LATIN = str.maketrans(LOOKALIKES)


def fold(texts: pl.Series) -> pl.Series:
    """Return the folded form of each text, e.g. `text3` for the full-width `Ｔｅｘｔ ٣`."""
    return pl.Series(texts.name, map(_folded, texts), dtype=pl.String)


def _folded(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_replacements()).lower().translate(_LATIN)
    return "".join(text.lower().split())


@cache
def _replacements() -> dict[int, str | None]:
    """Return the dropped characters, and decimal digits with their ASCII digit."""
    characters = {point: unicodedata.category(chr(point)) for point in chain(*_PLANES)}
    return {
        **{point: None for point, category in characters.items() if category == "Cf"},
        **dict.fromkeys((*_VARIATION_SELECTORS, *_FILLERS)),
        **{point: str(unicodedata.decimal(chr(point))) for point, category in characters.items() if category == "Nd"},
    }
