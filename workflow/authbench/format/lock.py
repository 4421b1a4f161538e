"""release.lock: the split of every author and the id of every document, for later builds to keep."""

import json
from pathlib import Path
from typing import Any

from authbench.errors import InputError

VERSION = 1


def read_lock(path: str | Path) -> dict[str, Any]:
    """Return the `release.lock` of an earlier release: `authors` (author id -> split), `documents` (SHA-256 of a
    document's key -> id).

    Raises:
        InputError: the file is no release.lock of this version.
    """
    try:
        lock = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path} is no release.lock: {error}. Give the file of an earlier release.") from error
    if not isinstance(lock, dict) or lock.get("version") != VERSION or not {"authors", "documents"} <= lock.keys():
        raise InputError(f"{path} is no release.lock: expected version {VERSION} with authors and documents.")
    return lock
