"""JSON files: with a checksum between stages, plain for everyone else."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from authbench.storage.atomic import write_text
from authbench.storage.checksums import json_with_checksum, parse_checked_json


def write_json(path: str | Path, value: Mapping[str, Any]) -> None:
    """Write an object that a stage leaves for another as JSON text, which is sealed."""
    write_text(path, json_with_checksum(value))


def read_json(path: str | Path) -> dict[str, Any]:
    """An object that `write_json` wrote."""
    return parse_checked_json(Path(path).read_bytes(), path)


def write_plain_json(path: str | Path, value: Any) -> None:
    """JSON text that is for others to read: it is not sealed."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True) + "\n")


def finite_numbers(value: Any) -> Any:
    """Return the value with null in place of numbers that JSON does not know."""
    if isinstance(value, Mapping):
        return {key: finite_numbers(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [finite_numbers(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
