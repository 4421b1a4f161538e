"""The normal form of a text.

N(·) of the AuthBench paper (A.1): Unicode NFC, no control characters, white space in one form; before it the
source's markup is undone.
"""

import re
import unicodedata
from collections import defaultdict
from functools import cache

import regex

from authbench.nfc import class_of, compose
from authbench.normalize.markup import undo_html

INVISIBLE = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"  # control characters but tab and line breaks
    "\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff"
)
WIDE = "\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"  # white space within a line, but the plain space
# What makes characters and white space canonical: patterns, for Python and for polars, and what takes their place.
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
    """Return N(text): the same bytes for what a reader would call the same text.

    `html` layers of HTML are undone; `unwrap` joins hard-wrapped lines within a paragraph; `quotes` is `keep` or
    `straight` (curly to ' and \"; guillemets and corner brackets stay). In the result no line begins or ends with
    white space, words are one space apart, lines one break and paragraphs two. Lone surrogates become U+FFFD.
    With `html` 0, normalising twice is normalising once.
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
    """Return one line per paragraph. A hyphen at a line's end goes only where the joined word occurs in the text itself
    (`exam-ple` beside `example`); otherwise it belongs to the word. Scripts without spaces are joined without one.
    """
    if HYPHENATED.search(text):
        known = set(regex.findall(r"\p{L}[\p{L}\p{M}]*+", text))
        text = HYPHENATED.sub(lambda m: m[1] + ("" if m[1] + m[2] in known else "-") + m[2], text)
    return INNER_BREAK.sub(" ", SPACELESS_BREAK.sub("", text))


@cache
def unusual() -> str:
    """Return a pattern for polars that occurs where `normalize_text` changes white space or characters.

    Markup, wrapped lines, quotes and NFC are not looked for.
    """
    return rf"[{UNUSUAL_CHARACTERS}]|{UNUSUAL_SPACING}|\A[ \n]|[ \n]\z"


@cache
def not_composed() -> str:
    """Return a pattern for polars that is found in every text that is not in NFC.

    Such a text has a character that NFC replaces, two neighbours that it joins, or two marks in a row, which it may
    reorder or join to what is before them. Which these are, this Python says, as it is Python that normalises.
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
