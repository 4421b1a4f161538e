"""Download the files of a GitHub repository at a commit.

They come as an archive, so a repository of twenty thousand files is a single request. The archive is not trusted: only
plain, requested files with safe names are extracted, and an archive that expands beyond a bound is refused.
"""

import re
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from authbench.build.acquire.offers import Advance, Listing, Offer, Piece, check_patterns
from authbench.build.acquire.transfer import Pause, download
from authbench.core.errors import InputError
from authbench.core.storage.raw_files import FREE_EXPANSION, MAX_EXPANSION

ARCHIVES = "https://codeload.github.com"
BLOCK = 1 << 18


def look(piece: Piece, revision: str | None, beside: Path, pause: Pause, archives: str = ARCHIVES) -> Listing:
    """Return the files of the archive that fit the patterns, in its order. They must be fetched in this order.

    Raises:
        InputError: the piece names no owner/repository at a commit.
    """
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", piece.name) or not re.fullmatch(r"[0-9a-f]{12,40}", revision or ""):
        raise InputError(f"acquire.fetch: expected owner/repository and a commit, found {piece.name} at {revision}")
    archive = beside / f"{piece.name.replace('/', '--')}-{revision}.tar.gz"
    if not archive.exists():
        come = archive.with_name(f"{archive.name}.part")
        download(f"{archives}/{piece.name}/tar.gz/{revision}", come, lambda size: None, pause)
        come.replace(archive)
    fitting: dict[str, int] = {}
    others: list[str] = []
    for _, member, name in _members(piece, archive):  # check all names before any file is extracted
        if piece.asks_for(name):
            fitting[name] = member.size
        elif len(others) < 6:
            others.append(name)
    check_patterns(piece, fitting, others)
    return Listing(revision, {piece.place(name): size for name, size in fitting.items()}, _offers(piece, archive))


def _offers(piece: Piece, archive: Path) -> Iterator[Offer]:
    for tar, member, name in _members(piece, archive):
        if piece.asks_for(name):
            yield Offer(piece.place(name), member.size, None, partial(_bring, piece, archive, tar, member))


def _members(piece: Piece, archive: Path) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo, str]]:
    """Yield the plain files of an archive with their paths in the repository."""
    most = archive.stat().st_size * MAX_EXPANSION + FREE_EXPANSION
    passed = 0
    with _whole(piece, archive), tarfile.open(archive, "r|gz") as tar:
        for member in tar:
            passed += member.size
            if passed > most:
                raise InputError(f"{piece.name}: the archive expands without end; nothing was taken from it.")
            if member.isreg():
                yield tar, member, member.name.partition("/")[2]  # its only folder is named after the commit


def _bring(
    piece: Piece, archive: Path, tar: tarfile.TarFile, member: tarfile.TarInfo, part: Path, advance: Advance
) -> None:
    """Extract a member of the archive, as long as the archive exists."""
    content = tar.extractfile(member)
    if content is None:
        raise InputError(f"{member.name} is no file")
    with _whole(piece, archive), content, part.open("wb") as file:
        while block := content.read(BLOCK):
            file.write(block)
            advance(len(block))


@contextmanager
def _whole(piece: Piece, archive: Path) -> Iterator[None]:
    """Report a damaged archive in readable words, and delete it."""
    try:
        yield
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        if getattr(error, "errno", None) is not None:
            raise
        archive.unlink(missing_ok=True)
        raise InputError(f"{piece.name}: the archive is damaged ({error}). Run again to fetch it anew.") from error
