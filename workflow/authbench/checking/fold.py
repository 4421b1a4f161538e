"""Fold texts, to make copies equal that differ only in how characters are written.

Compatibility forms (full-width letters, ligatures, presentation forms) are replaced as in NFKC, letters are
lower-cased, letters that look Latin become Latin, and digits of all scripts become 0 to 9. White space is removed, as
are characters that are invisible by themselves: joiners, variation selectors, soft hyphens, fillers, the tatweel.
"""

import unicodedata
from functools import cache

import polars as pl

from authbench.lookalikes import LOOKALIKES

_UNSEEN = r"[\p{Cf}\x{fe00}-\x{fe0f}\x{e0100}-\x{e01ef}\x{34f}\x{115f}\x{1160}\x{17b4}\x{17b5}\x{180b}-\x{180f}\x{640}]"

_TEXTS_AT_ONCE = 8_000
_SPACE = r"[\s\x1c-\x1f]"


def fold(contents: pl.Series) -> pl.Series:
    """Return the folded form of each text; memory: the folded texts, and some forms of a few texts."""
    parts = [_fold(contents.slice(start, _TEXTS_AT_ONCE)) for start in range(0, len(contents), _TEXTS_AT_ONCE)]
    return pl.concat(parts) if parts else contents


def _fold(contents: pl.Series) -> pl.Series:
    places = (~contents.str.contains(r"\A[\x00-\x7f]*\z")).arg_true()
    folded = contents.str.to_lowercase()
    if len(places):
        some = contents.gather(places).str.normalize("NFKC").str.replace_all(_UNSEEN, "").str.to_lowercase()
        folded = folded.scatter(places, some.str.replace_many(_digits() | LOOKALIKES))
    return folded.str.replace_all(_SPACE, "")


@cache
def _digits() -> dict[str, str]:
    """Return the ASCII digit of every decimal digit beyond ASCII."""
    points = map(chr, range(0x80, 0x20000))
    return {one: str(unicodedata.decimal(one)) for one in points if unicodedata.category(one) == "Nd"}
