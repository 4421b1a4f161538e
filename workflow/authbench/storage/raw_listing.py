"""List a source's raw files: their paths and SHA-256, in a file named by its digest.

A listing is written once and never changed. A job that is given a digest therefore reads that listing, whatever else is
planned or run in the same folder.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict

from authbench.errors import InputError
from authbench.storage.json_files import read_json, write_json

Digests = Mapping[str, str]


def listing_digest(files: Digests) -> str:
    """Return the SHA-256 over the lines of `sha256sum` for the files, by path; it ignores their order.

    >>> listing_digest({"b": "2", "a": "1"}) == listing_digest({"a": "1", "b": "2"})
    True
    """
    lines = "".join(f"{digest}  {name}\n" for name, digest in sorted(files.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


class RawFiles(TypedDict):
    """Hold the number of raw files of a source, and a digest of their digests."""

    files: int
    sha256: str


def describe(files: Digests) -> RawFiles:
    """Return a release's statement about the raw files of a source: their number and their digest."""
    return {"files": len(files), "sha256": listing_digest(files)}


def write_listing(files: Digests, folder: Path) -> Path:
    """Write a listing as `<folder>/<its digest>.json`, if it does not exist, and return its path."""
    path = folder / f"{listing_digest(files)}.json"
    if not path.exists():
        write_json(path, {"files": dict(files)})
    return path


def read_listing(path: str | Path, digest: str) -> Digests:
    """Return the SHA-256 of files by path from a listing.

    Raises:
        InputError: the file was changed, or is the listing of another digest.
    """
    files: dict[str, str] = read_json(path)["files"]
    if listing_digest(files) != digest:
        raise InputError(f"{path} lists other files than its name says. Delete it and run again.")
    return files
