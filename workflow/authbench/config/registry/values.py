"""Show values of YAML in messages, and reject unusable values: dates, numbers too large, keys that are not text."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from authbench.core.printable import printable

Problem = tuple[str, str]  # the top-level key, and the description
LARGEST = 2**63 - 1
_KINDS = {bool: "a boolean", int: "a number", float: "a number", date: "a date", str: "text", type(None): "null"}
_SHOWN_CHARACTERS = 80
_NOT_STORED = re.compile("[\0\ud800-\udfff]")


def value_problems(value: object, place: tuple[str, ...] = (), inside: tuple[int, ...] = ()) -> Iterator[Problem]:
    """Yield the top-level key and the description of every value that no setting can have.

    Args:
        value: a mapping as read from YAML, or a value in it.
        place: the keys that lead to the value.
        inside: identities of the collections that hold it.
    """
    if id(value) in inside:
        yield problem_at(place, "contains itself, by an anchor and its alias")
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                said = f"the key {shown(key)} is {_kind(key)} to YAML, expected text; write it in quotes"
                yield problem_at(place or (str(key),), said)
            elif not _is_usable(key) or not _is_usable(inner):
                yield from _of_text((*place, key), key)
                yield from value_problems(inner, (*place, key), (*inside, id(value)))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            if not _is_usable(inner):
                yield from value_problems(inner, (*place, str(number)), (*inside, id(value)))
    elif isinstance(value, str):
        yield from _of_text(place, value)
    elif isinstance(value, float) and not math.isfinite(value):
        yield problem_at(place, f"{value} is no finite number; write one, or null where null is allowed")
    elif isinstance(value, int) and not -LARGEST - 1 <= value <= LARGEST:
        yield problem_at(place, f"{shown(value)} is no number of 64 bits; expected {-LARGEST - 1} to {LARGEST}")
    elif not isinstance(value, bool | int | float | None):
        yield problem_at(place, f"{shown(value)} is {_kind(value)} to YAML, which no setting is; write text in quotes")


def _is_usable(value: Any) -> bool:
    """Return whether a setting can have this scalar: the fast path of `value_problems`, without a generator."""
    kind = type(value)
    if kind is str:
        return value.isascii() and "\0" not in value
    if kind is float:
        return math.isfinite(value)
    return kind is bool or value is None or (kind is int and -LARGEST - 1 <= value <= LARGEST)


def shown(value: object) -> str:
    """Return a value for a message: escaped, and shortened if long.

    >>> shown("800"), shown(date(2020, 1, 1)), shown(True)
    ("'800'", '2020-01-01', 'true')
    """
    if isinstance(value, bool | None):
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int) and value.bit_length() > 1000:
        return "a number of more than 300 digits"
    text = printable(str(value) if isinstance(value, date) else repr(value))
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}… ({len(text)} characters)"


def _of_text(place: tuple[str, ...], text: str) -> Iterator[Problem]:
    if _NOT_STORED.search(text):
        yield problem_at(place, f"{shown(text)} has a character that no file can hold (NUL or half a surrogate pair)")


def _kind(value: object) -> str:
    return next(
        (name for kind, name in _KINDS.items() if isinstance(value, kind)), f"of the type {type(value).__name__}"
    )


def problem_at(place: Sequence[str], problem: str) -> Problem:
    """Return the top-level key of a place, and the problem with the keys that lead to it."""
    return (place[0] if place else "", f"{'.'.join(map(printable, place)) or '(top level)'}: {problem}")
