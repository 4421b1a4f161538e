"""Read release.lock: the split of every author and the id of every document, which later builds keep."""

import re
from pathlib import Path
from typing import Any, TypedDict, cast

from authbench.errors import InputError
from authbench.format.columns import DOCUMENT_ID
from authbench.storage.exact_json import loads

VERSION = 1
_DIGEST = re.compile(r"[0-9a-f]{64}")
_SPLIT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_ID = re.compile(DOCUMENT_ID, re.ASCII)
# The mappings of a lock: the part, the form of its keys and of its values, and both in words.
_PARTS = (
    ("authors", _DIGEST, _SPLIT, "author ids (64 hexadecimal digits) and their splits"),
    ("documents", _DIGEST, _ID, "SHA-256 of documents' keys and their ids (doc_ and six digits or more)"),
)


class Lock(TypedDict):
    """The split of every author id, and the id of every document by the SHA-256 of its key."""

    version: int
    authors: dict[str, str]
    documents: dict[str, str]


def read_lock(path: str | Path) -> Lock:
    """Return the `release.lock` of an earlier release.

    It contains `authors` (author id -> split) and `documents` (SHA-256 of a document's key -> id).

    Raises:
        InputError: the file is not a release.lock of this version.
    """
    try:
        lock: Any = loads(Path(path).read_bytes())
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is no release.lock: {error}. Give the file of an earlier release.") from None
    if not isinstance(lock, dict) or lock.get("version") != VERSION or not {"authors", "documents"} <= lock.keys():
        raise InputError(f"{path} is no release.lock: expected version {VERSION} with authors and documents.")
    for part, key_form, value_form, words in _PARTS:
        if problem := _problem(lock[part], key_form, value_form):
            raise InputError(f"{path} is no release.lock: {problem} in {part}; expected {words}.")
    if len(set(lock["documents"].values())) < len(lock["documents"]):
        raise InputError(f"{path} is no release.lock: two documents have one id. Give the file of an earlier release.")
    return cast(Lock, lock)


def _problem(part: Any, key_form: "re.Pattern[str]", value_form: "re.Pattern[str]") -> str | None:
    """Return the problem in a part of a lock, or None."""
    if not isinstance(part, dict):
        return f"{part!r:.80} is no object"
    for key, value in part.items():
        if not key_form.fullmatch(key) or not isinstance(value, str) or not value_form.fullmatch(value):
            return f"{key!r:.80}: {value!r:.80}"
    return None
