"""Check the normal form of each text and personal data in it, and count its tokens again.

A text in the normal form N(content), which docs/how-it-works.md ("normalize") defines, is in NFC, has single spaces
within a line, a break between lines, two between paragraphs, no white space at either end, and no control, zero-width
or bidirectional character or soft hyphen. The joiners U+200C and U+200D and variation selectors are allowed: Hindi,
Persian and emoji need them.

Personal data are searched in a release that claims to mask them, in plain forms only. The masks replace each of them in
any position, so a finding is never a form that may be something else. Time is linear in the length of a text: polars'
engine, which has no backtracking, finds signs, and a bounded number of characters around each is read.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator
from functools import cache

import polars as pl
import tiktoken

from authbench.core.tokens import Tokenizer, encode
from authbench.release.checking.claims import Finding

_START = r"(?:^|[\s(])"
_LOCAL = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+-")
_MOST_LOCAL, _MOST_HOST, _MOST_LABEL = 64, 120, 63
_AT = re.compile("[A-Za-z0-9]@(?=[A-Za-z0-9])")
_HOST = re.compile(rf"[A-Za-z0-9.-]{{1,{_MOST_HOST}}}")
_LINK = re.compile(r"(?<![^\s(])(?:https?://|www\.)[a-z0-9]{1,40}")
_HANDLE = re.compile(r"(?<![^\s(])@[A-Za-z][A-Za-z0-9_]{2,29}(?=[,;!?)\n]|\Z| [^{])")
_PHONE = re.compile(
    r"(?<![^\s(])(?:\+[1-9][0-9]{0,2}(?: [0-9]{2,4}){3}|[2-9][0-9]{2}-[2-9][0-9]{2}-[0-9]{4})(?=[;!?\n]|\Z| [a-z])"
)


def find_personal_data(contents: pl.Series, kinds: Collection[str]) -> list[tuple[int, str]]:
    """Return the row of each text with personal data of these kinds, the kind, and the beginning of the data."""
    found = []
    for kind, (sign, find) in _FINDERS.items():
        if kind in kinds:
            places = contents.str.contains(sign).arg_true()
            for place, text in zip(places, contents.gather(places), strict=True):
                if data := next(find(text), None):
                    found.append((place, f"{kind} {data[:3]}..."))
    return found


def _addresses(text: str) -> Iterator[str]:
    """Yield e-mail addresses: up to 64 characters before the sign, two to five labels after it, the last of letters."""
    for sign in _AT.finditer(text):
        at = start = sign.end() - 1
        while start and text[start - 1] in _LOCAL and at - start <= _MOST_LOCAL:
            start -= 1
        local, host = text[start:at], _HOST.match(text, at + 1)
        labels = host[0].rstrip(".-").split(".") if host else []
        if (
            len(local) <= _MOST_LOCAL
            and local[0].isalnum()
            and 2 <= len(labels) <= 5
            and all(0 < len(label) <= _MOST_LABEL and label[0] != "-" for label in labels)
            and labels[-1].isalpha()
            and 2 <= len(labels[-1]) <= 24
        ):
            yield f"{local}@{host[0] if host else ''}"


def _matches(pattern: re.Pattern[str]) -> Callable[[str], Iterator[str]]:
    return lambda text: (match[0] for match in pattern.finditer(text))


_FINDERS: dict[str, tuple[str, Callable[[str], Iterator[str]]]] = {
    "email": (_AT.pattern.replace("(?=", "(?:"), _addresses),
    "url": (rf"{_START}(?:https?://|www\.)[a-z0-9]", _matches(_LINK)),
    "phone": (rf"{_START}(?:\+[1-9][0-9]{{0,2}} [0-9]|[2-9][0-9]{{2}}-[2-9])", _matches(_PHONE)),
    "handle": (rf"{_START}@[A-Za-z]", _matches(_HANDLE)),
}


# Every character of these kinds; a test over all of Unicode checks that there are no others.
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
    """Return the row of each text that is not in the normal form, with the reason in words."""
    misplaced = contents.str.contains(rf"[{_class()}]|^\s|\s$|  | \n|\n |\n\n\n").arg_true()
    found = [(place, _problem(text)) for place, text in zip(misplaced, contents.gather(misplaced), strict=True)]
    composed = unicodedata.is_normalized
    return found + [(place, "not NFC") for place, text in enumerate(contents) if not composed("NFC", text)]


def _problem(text: str) -> str:
    """Describe the first forbidden character of a text."""
    if text != text.strip():
        return "white space at an end"
    if found := sorted(_forbidden() & set(text)):
        return f"U+{ord(found[0]):04X}"
    return "three line breaks in a row" if "\n\n\n" in text else "white space beside white space"


@cache
def _forbidden() -> frozenset[str]:
    """Return every character that the normal form excludes, apart from NFC."""
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
    """Return these characters as the inside of a character class for polars' regular expressions."""
    return "".join(rf"\x{{{ord(character):x}}}" for character in sorted(_forbidden()))


_RECOUNTED = 10  # in this many texts, one is counted by tiktoken itself


def check_texts(
    tokenizer: Tokenizer,
    encoding: tiktoken.Encoding,
    masked: Collection[str],
    end: str,
    documents: pl.DataFrame,
) -> list[Finding]:
    """Return texts not in the normal form and `end`, with unmasked personal data, or another number of tokens."""
    ids, contents = documents["id"], documents["content"]
    unended = (~contents.str.ends_with(end)).arg_true()
    findings = [Finding("content_form", ids[place], "no final line break") for place in unended]
    plain = contents.str.strip_suffix(end)
    findings += [Finding("content_form", ids[place], problem) for place, problem in abnormal(plain)]
    found = find_personal_data(contents, masked)
    findings += [Finding("personal_data", ids[place], f"{data} in {ids[place]}") for place, data in found]
    counted = tokenizer.count(contents)
    for row in range(0, len(contents), _RECOUNTED):
        counted[row] = len(encode(encoding, contents[row]))
    for row in (documents["token_length"].to_numpy() != counted).nonzero()[0].tolist():
        said = documents["token_length"][row]
        findings.append(Finding("token_length", ids[row], f"{ids[row]} says {said}, has {counted[row]}"))
    return findings
