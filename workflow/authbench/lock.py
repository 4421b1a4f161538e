"""What must a later build leave as it was?"""

import json
from pathlib import Path
from typing import Any

from authbench.errors import InputError


def read_lock(path: str | Path) -> dict[str, Any]:
    """An earlier `release.lock`."""
    try:
        lock = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path} is no release.lock: {error}. Give the file of an earlier release.") from error
    if not isinstance(lock, dict) or lock.get("version") != 1 or not {"authors", "documents"} <= lock.keys():
        raise InputError(f"{path} is no release.lock: expected version 1 with authors and documents.")
    return lock
