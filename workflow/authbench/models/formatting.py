"""Measure the layout of a text without its letters and signs.

Line breaks, the kinds of characters that begin and end lines, the numbers of capitals, digits and emoji, wide spaces,
stickers such as [doge] and placeholders are habits of a platform or an edition as much as of an author. The frequency
of signs is left to `punctuation`.
"""

from collections import Counter
from math import log1p, sqrt

import numpy as np
import polars as pl
import regex

from authbench.models.character_kinds import CharacterKinds
from authbench.models.measured_once import MeasuredOnce
from authbench.models.parameters import FormatParameters
from authbench.models.standardise import F32, standardised

# A placeholder is a capital word in square brackets (`normalize.personal`), a sticker any other short text.
_PLACEHOLDER = regex.compile(r"\[\p{Lu}{2,}\]")
_STICKER = regex.compile(r"\[[^\[\]\n]{1,12}\]")
_EMOJI = r"[[\p{Emoji_Presentation}\p{Extended_Pictographic}]--\p{N}]"
_COUNTED = CharacterKinds({"emoji": _EMOJI, "letter": r"\p{L}", "capital": r"\p{Lu}"})
_DIGITS = regex.compile(r"\p{N}+")
_SIGN, _SYMBOL = regex.compile(r"\p{P}"), regex.compile(r"\p{S}")
_WIDE, _GAP = "\u3000", regex.compile(r"[ \t]{2,}")
_KINDS = ("emoji", "letter", "digit", "sign", "symbol")
_PATTERNS = (regex.compile(_EMOJI, regex.V1), regex.compile(r"[\p{L}\p{M}]"), _DIGITS, _SIGN, _SYMBOL)


def format_vectors(documents: pl.DataFrame, candidates: int, parameters: FormatParameters) -> F32:
    """Return standardised measurements of the layout, shape (documents, features of `measure_format`)."""
    return standardised(_MEASURED.table(documents["content"]), documents["lang"], candidates)


def measure_format(text: str) -> dict[str, float]:
    """Return every measurement of a text's layout by its name; rates are square roots of shares."""
    size, lines = max(1, len(text)), text.split("\n")
    written = [line for line in lines if line.strip()] or [" "]
    plain = _STICKER.sub("", _PLACEHOLDER.sub("", text))
    words, of_kind = plain.split(), _COUNTED.count(Counter(plain))
    lengths = np.array([len(line) for line in written])
    first, last = (Counter(_kind(line.strip()[place : place + 1 or None]) for line in written) for place in (0, -1))
    end = _kind(written[-1].rstrip()[-1:])
    digits = _DIGITS.findall(plain)
    placeholders = len(_PLACEHOLDER.findall(text))
    values = {
        "line breaks": log1p(1_000 * (len(lines) - 1) / size),
        "blank lines": sum(not line.strip() for line in lines) / len(lines),
        "one line": float(len(written) == 1),
        "line length": log1p(float(lengths.mean())),
        "line length, spread": float(lengths.std()) / (1 + float(lengths.mean())),
        "lines indented": sum(line[0].isspace() for line in written) / len(written),
        "lines begun with a capital": sum(line.lstrip()[:1].isupper() for line in written) / len(written),
        "ends with a letter": float(end == "letter"),
        "ends with an emoji": float(end == "emoji"),
        "capitals": of_kind["capital"] / max(1, of_kind["letter"]),
        "capitalised words": sum(word[0].isupper() for word in words) / max(1, len(words)),
        "words in capitals": sum(len(word) > 1 and word.isupper() for word in words) / max(1, len(words)),
        "digits": sqrt(sum(map(len, digits)) / size),
        "digits in a row": sum(map(len, digits)) / max(1, len(digits)),
        "emoji": sqrt(of_kind["emoji"] / size),
        "stickers": sqrt((len(_STICKER.findall(text)) - placeholders) / size),
        "placeholders": sqrt(placeholders / size),
        "wide spaces": sqrt(text.count(_WIDE) / size),
        "gaps": sqrt(len(_GAP.findall(text)) / size),
    }
    values |= {f"lines begun with {kind}": first[kind] / len(written) for kind in _KINDS}
    return values | {f"lines ended with {kind}": last[kind] / len(written) for kind in _KINDS}


def _kind(character: str) -> str:
    """Return the kind of a character, from _KINDS, or "" for any other character or an empty string.

    >>> _kind("7"), _kind("!"), _kind("")
    ('digit', 'sign', '')
    """
    return next((kind for kind, pattern in zip(_KINDS, _PATTERNS, strict=True) if pattern.match(character)), "")


_MEASURED = MeasuredOnce(measure_format)
