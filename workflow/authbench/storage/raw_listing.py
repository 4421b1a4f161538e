"""List a source's raw files: their paths and SHA-256."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from authbench.errors import InputError
from authbench.printable import printable
from authbench.storage.atomic import sha256_of_file
from authbench.storage.raw_paths import match_files

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


def take_listing(folder: Path, patterns: Sequence[str], planned: str) -> Digests:
    """Return the SHA-256 by path of the files below a folder that match the patterns.

    Raises:
        InputError: they are not the files of the digest `planned`.
    """
    files = {name: sha256_of_file(folder / name) for name in match_files(folder, patterns)}
    if listing_digest(files) != planned:
        raise InputError(
            f"{printable(str(folder))}: its files are not the files that this run was planned with. Leave them as they "
            "are while a run reads them, and run the same command again; if it says the same, `touch` them."
        )
    return files
