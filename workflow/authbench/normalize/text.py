"""Convert a text to its normal form.

N(·) of the AuthBench paper (A.1): Unicode NFC, no control characters, uniform white space, after undoing the source's
markup.
"""

import re
import unicodedata
from collections import defaultdict
from functools import cache

import regex

from authbench.nfc import class_of, compose
from authbench.normalize.markup import undo_html

INVISIBLE = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"  # control characters except tab and line breaks
    "\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff"
)
WIDE = "\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"  # white space within a line, except the plain space
# Patterns for Python and polars that make characters and white space canonical, and their replacements.
CANONICAL = (
    ("\r\n|[\r\v\f\x85\u2028\u2029]", "\n"),
    (f"[{INVISIBLE}]", ""),
    (f"[{WIDE}][ {WIDE}]*| [ {WIDE}]+", " "),
    (" \n ?|\n ", "\n"),
    ("\n\n\n+", "\n\n"),
)
CANONICAL_STEPS = [(re.compile(pattern), plain) for pattern, plain in CANONICAL]
SOFT_HYPHEN_BREAK = re.compile(r"\xad[ \t]*+(?:\r\n?|\n)[ \t]*+(?=\S)")
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
UNUSUAL_CHARACTERS = (
    "\x00-\x09\x0b-\x1f\x7f-\xa0\xad\u061c\u1680\u2000-\u200b\u200e\u200f\u2028-\u202f\u205f\u2060\u2066-\u2069"
    "\u3000\ufeff"
)
UNUSUAL_SPACING = " [ \n]|\n |\n\n\n"
UNUSUAL = re.compile(f"[{UNUSUAL_CHARACTERS}\ud800-\udfff]|{UNUSUAL_SPACING}")
CURLY_QUOTES = "‘’‚‛“”„‟"
STRAIGHT_QUOTES = str.maketrans(dict.fromkeys("‘’‚‛", "'") | dict.fromkeys("“”„‟", '"'))
CURLY = re.compile(f"[{CURLY_QUOTES}]")

HYPHENATED = regex.compile(r"(?<![\p{L}\p{M}])(\p{L}[\p{L}\p{M}]*+)-\n(\p{Ll}[\p{L}\p{M}]*+)")
SPACELESS_BREAK = regex.compile(
    r"(?<=[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\u3000-\u303f\uff00-\uffef])\n(?!\n)"
    r"(?=[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\u3000-\u303f\uff00-\uffef])"
)
INNER_BREAK = re.compile(r"(?<!\n)\n(?!\n)")


def normalize_text(text: str, html: int = 0, unwrap: bool = False, quotes: str = "keep") -> str:
    """Return N(text): equal bytes for texts that look equal to a reader.

    `html` layers of HTML are undone; `unwrap` joins hard-wrapped lines within a paragraph; `quotes` is `keep` or
    `straight` (curly to ' and \"; guillemets and corner brackets are kept). In the result, lines neither start nor end
    with white space, words are separated by one space, lines by one break and paragraphs by two. Lone surrogates become
    U+FFFD. With `html` 0, normalisation is idempotent.
    """
    if html:
        text = undo_html(text, html)
    if unwrap and "\xad" in text:
        text = SOFT_HYPHEN_BREAK.sub("", text)
    if UNUSUAL.search(text):
        text = _canonical_characters(text)
    text = text.strip(" \n")
    if unwrap and "\n" in text:
        text = _unwrap_lines(text)
    if quotes == "straight" and CURLY.search(text):
        text = text.translate(STRAIGHT_QUOTES)
    return compose(text)


def _canonical_characters(text: str) -> str:
    if LONE_SURROGATE.search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    for pattern, plain in CANONICAL_STEPS:
        text = pattern.sub(plain, text)
    return text


def _unwrap_lines(text: str) -> str:
    """Return one line per paragraph.

    A hyphen at a line end is removed only if the joined word occurs in the text itself (`exam-ple` with `example`);
    otherwise it is part of the word. Scripts without spaces are joined without a space.
    """
    if HYPHENATED.search(text):
        known = set(regex.findall(r"\p{L}[\p{L}\p{M}]*+", text))
        text = HYPHENATED.sub(lambda m: m[1] + ("" if m[1] + m[2] in known else "-") + m[2], text)
    return INNER_BREAK.sub(" ", SPACELESS_BREAK.sub("", text))


@cache
def unusual() -> str:
    """Return a polars pattern that matches where `normalize_text` changes white space or characters.

    Markup, wrapped lines, quotes and NFC are not covered.
    """
    return rf"[{UNUSUAL_CHARACTERS}]|{UNUSUAL_SPACING}|\A[ \n]|[ \n]\z"


@cache
def not_composed() -> str:
    """Return a polars pattern that matches in every text that is not in NFC.

    Such a text contains a character that NFC replaces, two neighbours that it composes, or two marks in a row, which it
    may reorder or compose with the preceding character. These characters are computed by this Python, which also
    normalises the texts.
    """
    replaced, marks, joined = set[str](), set[str](), defaultdict[str, set[str]](set)
    for character in map(chr, range(0xC0, 0x30000)):
        if unicodedata.combining(character):
            marks.add(character)
        decomposition = unicodedata.decomposition(character)
        if decomposition and not decomposition.startswith("<"):
            if not unicodedata.is_normalized("NFC", character):
                replaced.add(character)
            elif len(decomposition) > 4:
                first, second = (chr(int(code, 16)) for code in decomposition.split())
                joined[second].add(first)
    pairs = [f"{class_of(firsts)}{second}" for second, firsts in joined.items()]
    hangul = ["[\u1100-\u1112][\u1161-\u1175]", "[가-힣][\u11a8-\u11c2]"]
    return "|".join([class_of(replaced), f"{class_of(marks)}{{2}}", *pairs, *hangul])
