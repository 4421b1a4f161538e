"""Download a file from a plain address."""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from authbench.build.acquire.offers import Advance, ByHand, Listing, Offer, Piece
from authbench.build.acquire.transfer import Pause, download, shown
from authbench.core.errors import InputError

PAGES = (".html", ".htm", ".xhtml")
PAGE = re.compile(rb"(?is)(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b")


def look(piece: Piece, revision: str | None, beside: Path, pause: Pause) -> Listing:
    """Return the file at the address, under the last part of its path.

    Raises:
        InputError: the piece is not the http(s) address of a file.
    """
    name = PurePosixPath(unquote(urlsplit(piece.name).path)).name
    if urlsplit(piece.name).scheme not in ("http", "https") or not name:
        raise InputError(f"acquire.fetch: {piece.name} is not the http(s) address of a file")

    def bring(part: Path, advance: Advance) -> None:
        download(piece.name, part, advance, pause)
        if PurePosixPath(name).suffix.lower() not in PAGES and _is_page(part):
            part.unlink()
            raise ByHand(f"{shown(piece.name)} gives a web page instead of {name}, perhaps to log in")

    def offers() -> Iterator[Offer]:
        yield Offer(piece.place(name), None, None, bring)

    return Listing(revision, {piece.place(name): None}, offers())


def _is_page(part: Path) -> bool:
    """Return whether a file begins like an HTML page."""
    with part.open("rb") as file:
        return bool(PAGE.match(file.read(4096)))
