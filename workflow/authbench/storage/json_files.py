"""JSON files: with a checksum between stages, without one for other readers."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from authbench.storage.atomic import write_text
from authbench.storage.checksums import json_with_checksum, parse_checked_json


def write_json(path: str | Path, value: Mapping[str, Any]) -> None:
    """Write an object as JSON with a checksum, for another stage."""
    write_text(path, json_with_checksum(value))


def read_json(path: str | Path) -> dict[str, Any]:
    """Return an object that `write_json` wrote.

    Raises:
        InputError: the file was changed, or has no checksum.
    """
    return parse_checked_json(Path(path).read_bytes(), path)


def write_plain_json(path: str | Path, value: Any) -> None:
    """Write a value as JSON without a checksum, for other readers."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True) + "\n")


def finite_numbers(value: Any) -> Any:
    """Return the value with null in place of numbers that JSON cannot hold."""
    if isinstance(value, Mapping):
        return {key: finite_numbers(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [finite_numbers(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
