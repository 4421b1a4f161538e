"""The folded form of texts, in which copies agree that differ only in how their characters are written.

Compatibility forms are as in NFKC, letters are lower-case, letters that look like Latin ones are Latin, decimal digits
are 0 to 9, and white space and characters that show nothing by themselves are left out.
"""

import unicodedata
from functools import cache
from itertools import chain

import polars as pl

from authbench.lookalikes import LOOKALIKES

_VARIATION_SELECTORS = (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0), *range(0x180B, 0x1810))
_FILLERS = (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x640)  # the last is the tatweel
_PLANES = (range(0x80, 0x20000), range(0xE0000, 0xE0200))  # where format characters and digits are
_LATIN = str.maketrans(LOOKALIKES)


def fold(texts: pl.Series) -> pl.Series:
    """Return the folded form of each text, e.g. of the full-width `Ｔｅｘｔ ٣` `text3`."""
    return pl.Series(texts.name, map(_folded, texts), dtype=pl.String)


def _folded(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_replacements()).lower().translate(_LATIN)
    return "".join(text.lower().split())


@cache
def _replacements() -> dict[int, str | None]:
    """Return the characters that are left out, and decimal digits with their ASCII digit."""
    characters = {point: unicodedata.category(chr(point)) for point in chain(*_PLANES)}
    return {
        **{point: None for point, category in characters.items() if category == "Cf"},
        **dict.fromkeys((*_VARIATION_SELECTORS, *_FILLERS)),
        **{point: str(unicodedata.decimal(chr(point))) for point, category in characters.items() if category == "Nd"},
    }
