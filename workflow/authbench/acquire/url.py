"""Download a file from a plain address."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from authbench.acquire.offers import Advance, Listing, Offer, Piece
from authbench.acquire.transfer import Pause, download
from authbench.errors import InputError


def look(piece: Piece, revision: str | None, beside: Path, pause: Pause) -> Listing:
    """Return the one file at the address, under the last part of its path."""
    name = PurePosixPath(unquote(urlsplit(piece.name).path)).name
    if urlsplit(piece.name).scheme not in ("http", "https") or not name:
        raise InputError(f"acquire.fetch: {piece.name} is not the http(s) address of a file")

    def bring(part: Path, advance: Advance) -> None:
        download(piece.name, part, advance, pause)

    def offers() -> Iterator[Offer]:
        yield Offer(piece.place(name), None, None, bring)

    return Listing(revision, None, offers())
