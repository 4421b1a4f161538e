"""What cleaning changed in a text; characters that are not visible are shown as code points."""

import re
import unicodedata
from collections.abc import Iterator
from difflib import SequenceMatcher

PIECES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|\w+|\s|.", re.S)
MANY = 6_000  # pieces; in longer texts, frequent pieces are not aligned
SHOWN = 50_000  # characters of one text
UNSEEN = {"Cc", "Cs", "Cf"}  # Unicode categories: control, surrogate, format
SPELLING = "\u200c\u200d"  # joiners, which some scripts need
Part = tuple[str, str]  # same | gone | new | mark, and a text


def difference(before: str, after: str) -> list[Part]:
    """Return the parts of two texts that are the same, gone and new, in the order of the texts."""
    old, new = PIECES.findall(before), PIECES.findall(after)
    parts: list[Part] = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, len(old) + len(new) > MANY).get_opcodes():
        if kind == "equal":
            parts.append(("same", "".join(old[a:b])))
        else:
            parts += [part for part in (("gone", "".join(old[a:b])), ("new", "".join(new[c:d]))) if part[1]]
    return parts


def shown(text: str) -> list[Part]:
    """Return a text in parts that an HTML page may show, cut at SHOWN characters.

    Characters that are invisible and would change how others are shown become marks with their code points.
    """
    parts = list(_visible(text[:SHOWN], "same"))
    if len(text) > SHOWN:
        parts.append(("mark", f"and {len(text) - SHOWN:,} more characters"))
    return parts


def shown_difference(before: str, after: str) -> list[Part]:
    return [part for kind, text in difference(before, after) for part in _visible(text, kind)]


def _visible(text: str, kind: str) -> Iterator[Part]:
    start = 0
    for place, char in enumerate(text):
        if unicodedata.category(char) in UNSEEN and char not in "\n" + SPELLING:
            if place > start:
                yield kind, text[start:place]
            yield "mark", f"U+{ord(char):04X}"
            start = place + 1
    if start < len(text):
        yield kind, text[start:]
