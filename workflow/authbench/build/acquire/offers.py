"""Match the files that a host offers with those that a source's entry requests."""

import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from authbench.config.registry.source_entry import Source
from authbench.core.errors import InputError
from authbench.core.storage.raw_paths import matches

Advance = Callable[[int], None]  # takes the number of new bytes, negative where they are fetched again
LONGEST_NAME = 255  # bytes, the limit of file systems; a file is written under a short name first
JOINERS = "\u200c\u200d"  # zero width, and part of the spelling of Hindi and Persian


class ByHand(InputError):
    """A person has to do something first: log in, accept terms, or put the files there."""


@dataclass(frozen=True)
class Piece:
    """An entry of `acquire.fetch`.

    It is a repository, data set or address, with patterns of its files, and their folder below the source's folder.
    """

    name: str
    revision: str | None
    files: tuple[str, ...]
    into: str
    every: bool = False  # each pattern must match; else they are alternatives

    def asks_for(self, path: str) -> bool:
        return matches(path, self.files)

    def place(self, path: str) -> str:
        """Return the path of a file below the source's folder. Raises InputError for an unsafe name."""
        return f"{self.into.rstrip('/')}/{safe_path(path)}" if self.into else safe_path(path)


@dataclass(frozen=True)
class Offer:
    """A requested file that the host has.

    It has its path below the source's folder, its size and SHA-256 if the host states them, and functions: `bring`
    writes the complete file to the path that it is given; `stream`, where the host sends ranges of bytes, opens it.
    """

    path: str
    bytes: int | None
    sha256: str | None
    bring: Callable[[Path, Advance], None]
    stream: Callable[[], BinaryIO] | None = None


@dataclass(frozen=True)
class Listing:
    """The files that a host offers for a piece.

    It has the exact revision, the size of each file by path (None if the host does not state it), and the files, which
    must be fetched in the order of the iterator.
    """

    revision: str | None
    sizes: Mapping[str, int | None]
    offers: Iterator[Offer]


def pieces(source: Source) -> list[Piece]:
    """Return what a source's entry lists to fetch; empty if a person has to do it."""
    return [
        Piece(
            one.name or source.acquire.where,
            None if one.revision is None else str(one.revision),
            one.files or source.files.patterns,
            one.into,
            one.files is not None,
        )
        for one in source.acquire.fetch
    ]


def safe_path(name: str) -> str:
    """Return the relative path that a host names. Raises InputError if it could leave its folder or hide in it.

    >>> safe_path("data/blogs.zip")
    'data/blogs.zip'
    """
    parts = PurePosixPath(name).parts
    plain = all(map(_is_plain, name)) and "\\" not in name and name == "/".join(parts)
    if not plain or any(part[0] in "./" or len(part.encode("utf-8", "replace")) > LONGEST_NAME for part in parts):
        raise InputError(
            f"The host offers a file named {name!a}, which is no name for a file here; nothing was fetched."
        )
    return name


def check_patterns(piece: Piece, fitting: Collection[str], others: Sequence[str]) -> None:
    """Raise InputError if no file fits, or if a pattern that must match does not."""
    unmet = [one for one in piece.files if one[0] != "!" and not any(matches(path, (one,)) for path in fitting)]
    if not fitting or (piece.every and unmet):
        some = ", ".join(others[:5]) or "no files" if not fitting else ", ".join([*fitting, *others][:5])
        more = ", …" * (len(others) + len(fitting) > 5)
        raise InputError(f"{piece.name}: no file fits {', '.join(unmet)}. It has {some}{more}")


def _is_plain(letter: str) -> bool:
    return letter.isprintable() or letter in JOINERS or unicodedata.category(letter) == "Zs"
