"""Take a few dozen plain measurements of a text, and of its layout.

Lengths of words, sentences and paragraphs, richness of vocabulary, kinds of characters and single punctuation marks:
the counts of stylometry since Mendenhall (1887), for any script.

The layout is measured without letters and signs. Line breaks, the kinds of characters that begin and end lines, the
numbers of capitals, digits and emoji, wide spaces, stickers such as [doge] and placeholders are habits of a platform or
an edition as much as of an author. The frequency of signs is left to `punctuation`.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from math import log1p, sqrt

import numpy as np
import polars as pl
import regex

from authbench.build.chunk.sentences import sentence_starts
from authbench.core.arrays import F32, F64
from authbench.models.function_words import WORD, standardised

MOST = 1 << 16  # texts whose measurements are kept: at most 64 MiB of 92 numbers each


def measured_once(measure: Callable[[str], Mapping[str, float]], most: int = MOST) -> Callable[[Iterable[str]], F64]:
    """Return a function from texts to their measurements, shape (texts, measurements).

    Args:
        measure: names and values of the measurements of a text, the same names in the same order for all.
        most: measurements of so many texts are kept; further texts are measured each time.
    """
    known: dict[bytes, F64] = {}

    def row(text: str) -> F64:
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        found = known[key] if key in known else np.array(list(measure(text).values()), np.float64)
        if len(known) < most:
            known[key] = found
        return found

    return lambda texts: np.array([row(text) for text in texts])


def counter_of_kinds(patterns: Mapping[str, str]) -> Callable[[Counter[str]], dict[str, int]]:
    """Return a function from characters to the number of each kind, given the pattern of a character by kind.

    Each character is classified once per process.
    """
    known = {kind: regex.compile(pattern, regex.V1) for kind, pattern in patterns.items()}

    @cache
    def kinds_of(character: str) -> list[str]:
        return [kind for kind, pattern in known.items() if pattern.match(character)]

    def count(characters: Counter[str]) -> dict[str, int]:
        found = dict.fromkeys(known, 0)
        for character, times in characters.items():
            for kind in kinds_of(character):
                found[kind] += times
        return found

    return count


MARKS = ".,;:!?…-–—_/\\|'\"“”‘’«»„()[]{}*&%$#@+=<>~^`。、，！？：；「」『』（）《》〈〉·・～،؛؟।"
_count_kinds = counter_of_kinds(
    {
        "upper": r"\p{Lu}",
        "lower": r"\p{Ll}",
        "other letter": r"[\p{Lo}\p{Lm}]",
        "mark": r"\p{M}",
        "digit": r"\p{N}",
        "punctuation": r"\p{P}",
        "symbol": r"\p{S}",
        "space": r"[ \t]",
        "line": r"\n",
        "emoji": r"\p{Extended_Pictographic}",
        "latin": r"\p{Latin}",
        "han": r"\p{Han}",
        "hiragana": r"\p{Hiragana}",
        "katakana": r"\p{Katakana}",
    }
)
REPEATED = regex.compile(r"(\p{L})\1{2,}")
REPEATED_MARK = regex.compile(r"(\p{P})\1+")
LONGEST_WORD = 12
FIRST_WORDS = 100  # the share of distinct words is taken over these, since richness depends on length


def stylometric_vectors(documents: pl.DataFrame, candidates: int, *_: object) -> F32:
    """Return standardised measurements, shape (documents, features of `measure`)."""
    return standardised(_measured(documents["content"]), documents["lang"], candidates)


def measure(text: str) -> dict[str, float]:
    """Return every measurement of a text by its name: shares of characters or words, means, and their spread."""
    chars, words = max(1, len(text)), WORD.findall(text)
    counted = Counter(text)
    sizes = np.array([len(word) for word in words] or [0])
    starts = [0, *sentence_starts(text, 0, len(text)), len(text)]
    sentences = np.diff(starts) if text else np.array([0])
    lines = np.array([len(line) for line in text.split("\n")])
    occurrences = Counter(word.lower() for word in words)
    values = {
        "word length": float(sizes.mean()),
        "word length, spread": float(sizes.std()),
        "sentence length": float(sentences.mean()),
        "sentence length, spread": float(sentences.std()),
        "line length": float(lines.mean()),
        "words used once": sum(count == 1 for count in occurrences.values()) / max(1, len(words)),
        "different words": len({word.lower() for word in words[:FIRST_WORDS]}) / max(1, min(len(words), FIRST_WORDS)),
        "capitalised words": sum(word[0].isupper() for word in words) / max(1, len(words)),
        "words in capitals": sum(len(word) > 1 and word.isupper() for word in words) / max(1, len(words)),
        "stretched letters": len(REPEATED.findall(text)) / chars,
        "stretched marks": len(REPEATED_MARK.findall(text)) / chars,
        "apostrophes": sum("'" in word or "’" in word for word in words) / max(1, len(words)),
    }
    values |= {kind: count / chars for kind, count in _count_kinds(counted).items()}
    values |= {f"mark {mark}": counted[mark] / chars for mark in MARKS}
    share = np.bincount(np.minimum(sizes, LONGEST_WORD), minlength=LONGEST_WORD + 1) / max(1, len(words))
    return values | {f"words of {size}": float(share[size]) for size in range(1, LONGEST_WORD + 1)}


_measured = measured_once(measure)


# A placeholder is a capital word in square brackets (`normalize.personal`), a sticker any other short text.
_PLACEHOLDER = regex.compile(r"\[\p{Lu}{2,}\]")
_STICKER = regex.compile(r"\[[^\[\]\n]{1,12}\]")
_EMOJI = r"[[\p{Emoji_Presentation}\p{Extended_Pictographic}]--\p{N}]"
_count_few_kinds = counter_of_kinds({"emoji": _EMOJI, "letter": r"\p{L}", "capital": r"\p{Lu}"})
_DIGITS = regex.compile(r"\p{N}+")
_SIGN, _SYMBOL = regex.compile(r"\p{P}"), regex.compile(r"\p{S}")
_WIDE, _GAP = "\u3000", regex.compile(r"[ \t]{2,}")
_KINDS = ("emoji", "letter", "digit", "sign", "symbol")
_PATTERNS = (regex.compile(_EMOJI, regex.V1), regex.compile(r"[\p{L}\p{M}]"), _DIGITS, _SIGN, _SYMBOL)


def format_vectors(documents: pl.DataFrame, candidates: int, *_: object) -> F32:
    """Return standardised measurements of the layout, shape (documents, features of `measure_format`)."""
    return standardised(_laid_out(documents["content"]), documents["lang"], candidates)


def measure_format(text: str) -> dict[str, float]:
    """Return every measurement of a text's layout by its name; rates are square roots of shares."""
    size, lines = max(1, len(text)), text.split("\n")
    written = [line for line in lines if line.strip()] or [" "]
    plain = _STICKER.sub("", _PLACEHOLDER.sub("", text))
    words, of_kind = plain.split(), _count_few_kinds(Counter(plain))
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


_laid_out = measured_once(measure_format)
