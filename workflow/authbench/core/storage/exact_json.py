"""Read JSON without loss: whole numbers keep their digits, and duplicate keys in an object are rejected.

orjson is fast, but rounds whole numbers beyond 64 bits and keeps only the last value of a duplicate key. Lines where
this may have happened are parsed again with the standard library.
"""

import codecs
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

# Numbers that do not fit 64 bits have 20 digits, or 19 after a minus, when all digits are made zeros.
_DIGITS = bytes(ord("0") if ord("0") <= byte <= ord("9") else byte for byte in range(256))
_INNER = {dict, list}
_LONG, _LONG_NEGATIVE = b"0" * 20, b"-" + b"0" * 19


class DoubledKey(ValueError):
    """Report a duplicate key in an object."""


def distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object of these pairs. Raises DoubledKey for duplicate keys."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, number in Counter(key for key, _ in pairs).items() if number > 1)
        raise DoubledKey(f"the key {twice!a:.60} comes twice in an object")
    return found


def may_have_lost(line: bytes, value: Any) -> bool:
    """Return whether a fast parser that made `value` of a line may have lost digits or values of duplicate keys."""
    kinds = set(map(type, value.values())) if type(value) is dict else _INNER
    nested = not kinds.isdisjoint(_INNER)
    if (nested or float in kinds) and _has_long_number(line):
        return True
    # A key ends with `":`; if white space or an escape makes the counts differ, the other parser decides.
    ends = line.count(b'":')
    return (_keys(value) if nested else len(value)) != (ends - line.count(b'\\":') if b"\\" in line else ends)


def loads(content: bytes) -> Any:
    """Return the value of JSON text in UTF-8. Raises DoubledKey, ValueError and RecursionError as json.loads does."""
    value = orjson.loads(content)
    return loads_exactly(content) if may_have_lost(content, value) else value


def read_lines(path: str | Path) -> Iterator[tuple[str, bytes]]:
    """Yield the lines of a file that are not blank, each with its place for a message."""
    for number, line in enumerate(Path(path).read_bytes().removeprefix(codecs.BOM_UTF8).splitlines(), start=1):
        if line.strip():
            yield f"{path}, line {number}", line


def loads_exactly(text: str | bytes) -> Any:
    """Return the value of JSON text. Raises DoubledKey, ValueError and RecursionError as json.loads does."""
    return json.loads(text, object_pairs_hook=distinct)


def _has_long_number(line: bytes) -> bool:
    digits = line.translate(_DIGITS)
    return _LONG in digits or _LONG_NEGATIVE in digits


def _keys(value: object) -> int:
    """Return the number of keys in all objects of a value."""
    inner = value.values() if type(value) is dict else value if type(value) is list else ()
    own = len(value) if type(value) is dict else 0
    return own + sum(_keys(one) for one in inner if type(one) in _INNER)
