"""Download the files of a GitHub repository at a commit.

As one archive, so that a repository of twenty thousand files is one request. The archive is hostile until shown
otherwise: only plain files whose names are safe leave it, of what is asked for, and never more than its page allows.
"""

import re
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from authbench.acquire.offers import Advance, Listing, Offer, Piece, nothing_fits
from authbench.acquire.transfer import Pause, download
from authbench.errors import InputError
from authbench.storage.raw_files import FREE_EXPANSION, MAX_EXPANSION

ARCHIVES = "https://codeload.github.com"
BLOCK = 1 << 18


def look(piece: Piece, revision: str | None, beside: Path, pause: Pause, archives: str = ARCHIVES) -> Listing:
    """Return the files of the archive that fit the patterns, in its order. They must be brought in this order."""
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", piece.name) or not re.fullmatch(r"[0-9a-f]{12,40}", revision or ""):
        raise InputError(f"acquire.fetch: expected owner/repository and a commit, found {piece.name} at {revision}")
    archive = beside / f"{piece.name.replace('/', '--')}-{revision}.tar.gz"
    if not archive.exists():
        come = archive.with_name(f"{archive.name}.part")
        download(f"{archives}/{piece.name}/tar.gz/{revision}", come, lambda size: None, pause)
        come.replace(archive)
    return Listing(revision, None, _members(piece, archive))


def _members(piece: Piece, archive: Path) -> Iterator[Offer]:
    most = archive.stat().st_size * MAX_EXPANSION + FREE_EXPANSION
    seen: list[str] = []
    fitting = passed = 0
    with _whole(piece, archive), tarfile.open(archive, "r|gz") as tar:
        for member in tar:
            passed += member.size
            if passed > most:
                raise InputError(f"{piece.name}: the archive expands without end; nothing more was taken from it.")
            name = member.name.partition("/")[2]  # the archive has one folder, named for the commit
            if member.isreg() and piece.asks_for(name):
                fitting += 1
                yield Offer(piece.place(name), member.size, None, _bringer(piece, archive, tar, member))
            elif member.isreg() and len(seen) < 6:
                seen.append(name)
    if not fitting:
        raise nothing_fits(piece, seen)
    archive.unlink(missing_ok=True)


def _bringer(
    piece: Piece, archive: Path, tar: tarfile.TarFile, member: tarfile.TarInfo
) -> Callable[[Path, Advance], None]:
    """Return a function that takes a member out of the archive, as long as the archive exists."""

    def bring(part: Path, advance: Advance) -> None:
        content = tar.extractfile(member)
        if content is None:
            raise InputError(f"{member.name} is no file")
        with _whole(piece, archive), content, part.open("wb") as file:
            while block := content.read(BLOCK):
                file.write(block)
                advance(len(block))

    return bring


@contextmanager
def _whole(piece: Piece, archive: Path) -> Iterator[None]:
    """Say what a person reads, and take the archive away, where it turns out to be damaged."""
    try:
        yield
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        if getattr(error, "errno", None) is not None:
            raise
        archive.unlink(missing_ok=True)
        raise InputError(f"{piece.name}: the archive is damaged ({error}). Run again to fetch it anew.") from error
