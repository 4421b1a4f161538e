"""What a host offers, and what of it a source's entry requests."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from authbench.errors import InputError
from authbench.registry.source_entry import Source
from authbench.storage.raw_paths import matches

Advance = Callable[[int], None]  # takes the number of bytes as they come, a negative one where they are fetched again
LONGEST_NAME = 240  # bytes; file systems take 255, and a file is written aside first


class ByHand(InputError):
    """A person has to do something first: log in, accept terms, or put the files there."""


@dataclass(frozen=True)
class Piece:
    """An entry of `acquire.fetch`: a repository, data set or address, which of its files, and the folder they go to
    below the source's own."""

    name: str
    revision: str | None
    files: tuple[str, ...]
    into: str

    def asks_for(self, path: str) -> bool:
        return matches(path, self.files)

    def place(self, path: str) -> str:
        """Return where a file goes below the source's folder. Raises InputError for a name that is not safe."""
        return f"{self.into.rstrip('/')}/{safe_path(path)}" if self.into else safe_path(path)


@dataclass(frozen=True)
class Offer:
    """One file that the host has and the page asks for: where it goes below the source's folder, its size and SHA-256
    where the host tells them, and how it comes. `bring` leaves the whole file at the path that it is given."""

    path: str
    bytes: int | None
    sha256: str | None
    bring: Callable[[Path, Advance], None]


@dataclass(frozen=True)
class Listing:
    """What a host offers of a piece: the exact revision, the bytes of all files where they are known, the files."""

    revision: str | None
    bytes: int | None
    offers: Iterator[Offer]


def pieces(source: Source) -> list[Piece]:
    """Return what a source's entry says is to be fetched; nothing where a person has to do it."""
    return [
        Piece(
            one.name or source.acquire.where,
            None if one.revision is None else str(one.revision),
            one.files or source.files.patterns,
            one.into,
        )
        for one in source.acquire.fetch
    ]


def safe_path(name: str) -> str:
    """Return the relative path that a host names. Raises InputError where it could leave its folder or hide in it.

    >>> safe_path("data/blogs.zip")
    'data/blogs.zip'
    """
    parts = PurePosixPath(name).parts
    plain = name.isprintable() and "\\" not in name and name == "/".join(parts)
    if not plain or any(part[0] in "./" or len(part.encode("utf-8", "replace")) > LONGEST_NAME for part in parts):
        raise InputError(
            f"The host offers a file named {name!a}, which is no name for a file here; nothing was fetched."
        )
    return name


def nothing_fits(piece: Piece, seen: Sequence[str]) -> InputError:
    some = ", ".join(seen[:5]) or "no files"
    return InputError(f"{piece.name}: no file fits {', '.join(piece.files)}. It has {some}{', …' * (len(seen) > 5)}")
