"""Read and write JSON files: with a checksum between stages, without for other readers."""

import json
import math
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from authbench.core.errors import InputError
from authbench.core.json_values import JsonObject
from authbench.core.storage.atomic import write_text
from authbench.core.storage.checksums import json_with_checksum, parse_checked_json
from authbench.core.storage.exact_json import distinct

MAX_BYTES = 64 << 20  # of a JSON object from outside
MAX_DEPTH = 32  # of objects and lists in it


def write_json(path: str | Path, value: Mapping[str, object]) -> None:
    """Write an object as JSON with a checksum, for another stage."""
    write_text(path, json_with_checksum(value))


def read_json(path: str | Path) -> JsonObject:
    """Return an object that `write_json` wrote.

    Raises:
        InputError: the file was changed, or has no checksum.
    """
    return parse_checked_json(Path(path).read_bytes(), path)


def write_plain_json(path: str | Path, value: object) -> None:
    """Write a value as JSON without a checksum, for other readers."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True) + "\n")


def read_foreign_json(path: str | Path, nan: bool = False, expected: str = "a JSON object") -> JsonObject:
    """Return the object in a JSON file that somebody else wrote.

    Args:
        nan: whether NaN and Infinity are numbers.
        expected: what the file should be, for the message where it is missing.

    Raises:
        InputError: it cannot be read, is not a JSON object, is larger than MAX_BYTES or deeper than MAX_DEPTH, or has a
            duplicate key or a number that does not fit 64 bits.
    """
    path = Path(path)
    try:
        if not stat.S_ISREG((found := path.stat()).st_mode):
            raise ValueError("is no regular file")
        if found.st_size > MAX_BYTES:
            raise ValueError(f"larger than {MAX_BYTES >> 20} MiB")
        content = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file. Expected {expected}.") from None
    except (OSError, ValueError) as problem:
        raise InputError(f"{path}: cannot be read as JSON: {problem}") from None
    return parse_foreign_json(content, path, nan)


def parse_foreign_json(content: bytes, place: str | Path, nan: bool = False) -> JsonObject:
    """Return the object in JSON text that somebody else wrote. Raises InputError as `read_foreign_json`."""
    try:
        value = json.loads(
            content.decode("utf-8-sig"),
            object_pairs_hook=distinct,
            parse_int=_int64,
            parse_float=_finite,
            parse_constant=float if nan else _no_number,
        )
        _expect_shallow(value)
    except RecursionError:
        raise InputError(f"{place}: cannot be read as JSON: nested deeper than {MAX_DEPTH} levels") from None
    except ValueError as problem:
        raise InputError(f"{place}: cannot be read as JSON: {problem}") from None
    if not isinstance(value, dict):
        raise InputError(f"{place}: expected a JSON object, found {_kind(value)}")
    return value


def _kind(value: object) -> str:
    """Return the JSON type of a value in words."""
    if isinstance(value, list):
        return "a list"
    return "a text" if isinstance(value, str) else "null" if value is None else "a number, true or false"


def _int64(digits: str) -> int:
    if len(digits) > 20 or not -(1 << 63) <= (number := int(digits)) < 1 << 63:
        raise ValueError(f"the number {digits:.25} does not fit in 64 bits")
    return number


def _finite(digits: str) -> float:
    if not math.isfinite(number := float(digits)):
        raise ValueError(f"the number {digits:.25} does not fit in 64 bits")
    return number


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")


def _expect_shallow(value: object) -> None:
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise RecursionError
        lists = [inner for inner in level if isinstance(inner, dict | list)]
        level = [one for inner in lists for one in (inner.values() if isinstance(inner, dict) else inner)]


def value_at(plain: Mapping[str, object], place: Sequence[str]) -> Any:
    """Return the value under these keys of nested mappings; None if it is absent."""
    value: Any = plain
    for key in place:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
