"""Normalise author labels and decide whether they name an author: the same rule for building, auditing and evaluating.

A label is a name or a number. Spellings that readers cannot distinguish, and the forms in which programs write the same
whole number, are the same label.
"""

import re
from collections.abc import Callable, Collection

import polars as pl
import regex

from authbench.core.identity import fold_space
from authbench.core.nfc import compose

PLACEHOLDERS = ("nan", "None", "null", "anonymous", "unknown", "[deleted]", "N.A.", "n/a", "<NA>", "AutoModerator")
MIN_CHARACTERS = 2  # of a name
# Characters without a glyph: default-ignorable characters (zero-width, direction marks, byte order marks, soft hyphens,
# variation selectors, fillers), annotation characters, and controls other than white space.
UNSEEN = regex.compile(r"[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB[\p{Cc}--\s]]", regex.VERSION1)
# A whole number as programs write floats: `3.0`, `-0.0`, or one digit before the point and an exponent, `1.25e+16`.
_FLOAT = re.compile(r"(-?)(?:(0|[1-9][0-9]*)(?:\.0+)?|([0-9])(?:\.([0-9]+))?[eE]\+?([0-9]{1,3}))", re.ASCII)
# Floats with so many digits that some are lost, as programs write them; names are not of this form.
LOST_DIGITS = (
    r"^-?(?:[0-9](?:\.[0-9]+)?[eE]\+(?:1[6-9]|[2-9][0-9])|[0-9]\.[0-9]+[eE](?:1[6-9]|[2-9][0-9])|[0-9]{17,}\.0+)$"
)
# Between two names: a semicolon that ends no HTML entity, an enumeration comma, or a word or sign for "and".
_SEVERAL = regex.compile(r"(?i)\p{L}\P{L}{0,3}(?:(?<!&#?\w{1,9});|[；、]|\s[&+/]\s|\sand\s)\s*\p{L}|\set al\b")
_WIDEST = 308  # the exponent of the largest float


def folded(label: str) -> str:
    """Return a label's normal form: NFC, without invisible characters, white space folded, numbers as integers.

    A number keeps all its digits; a number with leading zeros, such as `03`, and a name with digits are unchanged.

    >>> folded("\u202eAnn\u200b  Lee\ufeff"), folded("3.0"), folded("3e0"), folded("03"), folded("3.0 Team")
    ('Ann Lee', '3', '3', '03', '3.0 Team')
    """
    seen = label if label.isascii() and label.isprintable() else UNSEEN.sub("", label)
    whole = fold_space(compose(seen))
    return _integer(whole) if whole[:1] in "-0123456789" and whole[-1:].isdecimal() else whole


def _integer(label: str) -> str:
    """Return a whole number written as a float as an integer; other labels are returned unchanged."""
    found = _FLOAT.fullmatch(label)
    if found is None:
        return label
    sign, digits, first, decimals, exponent = found.groups()
    if digits is None:
        significant, places = (decimals or "").rstrip("0"), int(exponent)
        if len(significant) > places or places > _WIDEST or (first == "0" and (significant or places)):
            return label
        digits = first + significant.ljust(places, "0")
    return digits if digits == "0" else sign + digits


def refusal(label: str, placeholders: Collection[str], min_characters: int | None = None) -> str | None:
    """Return why a folded label names no author (`no_author`, `placeholder_author`), or None.

    Placeholders (case-folded) are compared as a whole, because a pattern such as `n.a.*` would match real names.
    Without `min_characters` a name needs MIN_CHARACTERS; a number, which identifies an account, needs no minimum.

    >>> refusal("Anonymous", {"anonymous"}), refusal("anon****", {"anonymous"}), refusal("7", ())
    ('placeholder_author', None, None)
    """
    if not label:
        return "no_author"
    short = (len(label) < MIN_CHARACTERS and not label.isdecimal()) if min_characters is None else (
        len(label) < min_characters
    )  # fmt: skip
    return "placeholder_author" if short or label.casefold() in placeholders else None


def names_several(label: str) -> bool:
    """Return whether a label lists several names; commas and hyphens may be part of one.

    >>> names_several("Ann Lee; Bob Ray"), names_several("Lee, Ann & Ray, Bob"), names_several("Lee, Ann")
    (True, True, False)
    """
    return _SEVERAL.search(label) is not None


def known_labels(labels: pl.Series) -> pl.Series:
    """Return the normal form of each label, null if it names no author; a name may have a single character.

    Each distinct label is folded once.
    """
    nobody = frozenset(map(str.casefold, PLACEHOLDERS))

    def known(label: str) -> str | None:
        whole = folded(label)
        return None if refusal(whole, nobody, 1) else whole

    return _of_distinct(labels, known)


def folded_labels(labels: pl.Series) -> pl.Series:
    """Return the normal form of each label; each distinct label is folded once."""
    return _of_distinct(labels, folded)


def _of_distinct(labels: pl.Series, function: Callable[[str], str | None]) -> pl.Series:
    distinct = labels.drop_nulls().unique()
    made = pl.Series([function(label) for label in distinct], dtype=pl.String)
    changed = distinct.ne_missing(made)
    if not changed.any():
        return labels
    return labels.replace_strict(distinct.filter(changed), made.filter(changed), default=labels)
