"""Author labels: their normal form, whether they name anybody, and whether a text holds them.

Raw labels do not leave this package: what follows knows pseudonyms.
"""

import functools
from collections.abc import Collection

import regex

from authbench.identity import author_id, fold_space
from authbench.nfc import compose

PLACEHOLDERS = ("nan", "None", "null", "anonymous", "unknown", "[deleted]", "N.A.", "n/a")
MIN_CHARACTERS = 2
SURE_CHARACTERS = 4  # a shorter name must stand as a word to count as one
# Characters without a glyph: default-ignorable ones (zero-width, marks of direction, byte order marks, soft hyphens,
# variation selectors, fillers), those of annotations, and controls that are no white space.
UNSEEN = regex.compile(r"[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB[\p{Cc}--\s]]", regex.VERSION1)
CASELESS = regex.compile(r"[\p{Nd}\p{Lo}_.-]+")  # no other character folds to one of these


def folded(label: str) -> str:
    """Return the label without characters that are not seen, NFC-normalised, its white space folded.

    Two labels that a reader cannot tell apart are one.

    >>> folded("\u202eAnn\u200b  Lee\ufeff")
    'Ann Lee'
    """
    seen = label if label.isascii() and label.isprintable() else UNSEEN.sub("", label)
    return fold_space(compose(seen))


def refusal(label: str, placeholders: Collection[str], min_characters: int = MIN_CHARACTERS) -> str | None:
    """Return why a folded label names nobody (`no_author`, `placeholder_author`), or None.

    Placeholders (case-folded) are compared whole: a pattern such as `n.a.*` takes real names with it.

    >>> refusal("Anonymous", {"anonymous"}), refusal("anon****", {"anonymous"})
    ('placeholder_author', None)
    """
    if not label:
        return "no_author"
    if len(label) < min_characters or label.casefold() in placeholders:
        return "placeholder_author"
    return None


def occurs(name: str, text: str) -> bool:
    """Return whether the author's name is in the text, whatever its case; a name of 1-3 characters only as a word.

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
    """Return a name without case, and the longest part of it that has none, which a text can be asked for as it is."""
    folded_name = name.casefold()
    return folded_name, max(CASELESS.findall(folded_name), key=len, default="")


def hides(raw_id: str, label: str) -> bool:
    """Return whether a raw id holds the author's label, so that publishing the id would publish the name."""
    return label.casefold() in (raw_id if raw_id.isascii() else folded(raw_id)).casefold()


def concealed(space: str, name: str, key: bytes | None) -> str:
    """Return a short pseudonym of an id or a work, made as authors' pseudonyms are."""
    return author_id(space, name, key)[:32]
