"""Check whether a text or an id contains an author label.

Raw labels do not leave this package: later stages only see pseudonyms.
"""

import functools

import regex

from authbench.core.author_labels import folded
from authbench.core.identity import author_id

SURE_CHARACTERS = 4  # a shorter name must be a separate word
CASELESS = regex.compile(r"[\p{Nd}\p{Lo}_.-]+")  # no other character folds to one of these


def occurs(name: str, text: str) -> bool:
    """Return whether the text contains the author's name, ignoring case; a name of 1-3 characters must be a word.

    >>> occurs("Sam", "the same"), occurs("Sam", "I, Sam.")
    (False, True)
    """
    name, caseless = _sought(name)
    if caseless not in text:
        return False
    text = text.casefold()
    if name not in text:
        return False
    return len(name) >= SURE_CHARACTERS or bool(regex.search(rf"(?<!\w){regex.escape(name)}(?!\w)", text))


@functools.lru_cache(maxsize=1 << 16)
def _sought(name: str) -> tuple[str, str]:
    """Return a name case-folded, and its longest caseless part, which can be searched for directly."""
    folded_name = name.casefold()
    return folded_name, max(CASELESS.findall(folded_name), key=len, default="")


def hides(raw_id: str, label: str) -> bool:
    """Return whether a raw id contains the author's label; publishing the id would then publish the name."""
    return label.casefold() in (raw_id if raw_id.isascii() else folded(raw_id)).casefold()


def concealed(space: str, name: str, key: bytes | None) -> str:
    """Return a short pseudonym of an id or a work, computed as authors' pseudonyms are."""
    return author_id(space, name, key)[:32]
