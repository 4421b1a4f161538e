"""Download the files of a data set from Kaggle.

Kaggle's client is used, which takes the account from the user's environment or home (KAGGLE_API_TOKEN, KAGGLE_USERNAME
and KAGGLE_KEY, or ~/.kaggle). This module never sees credentials.
"""

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path, PurePosixPath
from typing import Any

import requests

from authbench.build.acquire.offers import Advance, ByHand, Listing, Offer, Piece, check_patterns
from authbench.build.acquire.transfer import Passing, Pause, patiently, refuse
from authbench.core.errors import InputError
from authbench.core.identity import digest

PAGE = 200  # files named at a time
LOGIN = (
    "Kaggle asks for an account: make a token at https://www.kaggle.com/settings and set KAGGLE_API_TOKEN (or put it "
    "into ~/.kaggle/access_token)"
)


def look(piece: Piece, revision: str | None, beside: Path, pause: Pause, client: object = None) -> Listing:
    """Return the files of the data set that fit the patterns; `revision` is a version, the newest if None."""
    api = client or _client()
    if revision is None:
        what = f"The version of {piece.name}"
        revision = patiently(lambda: _with_our_errors(lambda: _newest(api, piece.name), piece), what, pause=pause)
    name = f"{piece.name}/{revision}"  # the client's syntax for a version
    files = patiently(
        lambda: _with_our_errors(lambda: _files(api, name), piece), f"The list of files of {piece.name}", pause=pause
    )
    fitting = sorted((one for one in files if piece.asks_for(one.name)), key=lambda one: str(one.name))
    check_patterns(piece, [one.name for one in fitting], [one.name for one in files if not piece.asks_for(one.name)])
    places = {one.name: piece.place(one.name) for one in fitting}

    def offers() -> Iterator[Offer]:
        for one in fitting:
            yield Offer(
                places[one.name],
                one.total_bytes or None,
                None,
                _bringer(api, name, piece, one.name, one.total_bytes or None, beside, pause),
            )

    return Listing(revision, {places[one.name]: one.total_bytes or None for one in fitting}, offers())


def _newest(api: Any, name: str) -> str:
    """Return the number of the newest version of a data set."""
    status = json.loads(api.dataset_status(name, format="json(current_version_number)"))
    if not (version := status["current_version_number"]):
        raise InputError(f"https://www.kaggle.com/datasets/{name}: Kaggle names no version of it")
    return str(version)


def _files(api: Any, name: str) -> list[object]:
    found: list[object] = []
    token = None
    while True:
        listed = api.dataset_list_files(name, page_token=token, page_size=PAGE)
        found += listed.files or []
        token = listed.next_page_token
        if not token:
            return found


def _bringer(
    api: Any, dataset: str, piece: Piece, name: str, size: int | None, beside: Path, pause: Pause
) -> Callable[[Path, Advance], None]:
    def bring(part: Path, advance: Advance) -> None:
        folder = beside / f"kaggle-{digest(name)}"
        folder.mkdir(parents=True, exist_ok=True)

        def fetch() -> None:
            with redirect_stdout(io.StringIO()):
                _with_our_errors(lambda: api.dataset_download_file(dataset, name, path=str(folder), quiet=True), piece)

        patiently(fetch, f"{piece.name}: {name}", pause=pause)
        come = [path for path in folder.iterdir() if not path.name.endswith(".kaggle-partial")]
        if len(come) != 1:
            raise InputError(f"{piece.name}: Kaggle's client left {len(come)} files for {name}. Run again.")
        if come[0].suffix == ".zip" and not name.endswith(".zip"):  # Kaggle sends large tables as zip
            _unpack(come[0], part, PurePosixPath(name).name, size)
            come[0].unlink()
        else:
            come[0].replace(part)
        advance(part.stat().st_size)

    return bring


def _unpack(archive: Path, part: Path, name: str, size: int | None) -> None:
    """Extract the only file of an archive: never more than the listed size (`size`) and the archive state."""
    try:
        with zipfile.ZipFile(archive) as packed:
            entries = [entry for entry in packed.infolist() if not entry.filename.endswith("/")]
            if len(entries) != 1 or PurePosixPath(entries[0].filename).name != name:
                raise InputError(f"{archive.name}: expected {name} alone in the archive, found {len(entries)} files")
            if size not in (None, entries[0].file_size):
                raise InputError(f"{archive.name} holds {entries[0].file_size:,} bytes, {size:,} were listed")
            with packed.open(entries[0]) as content, part.open("wb") as file:
                left = entries[0].file_size
                while block := content.read(1 << 18):
                    left -= len(block)
                    if left < 0:
                        raise InputError(f"{archive.name} holds more than it says; it was not taken.")
                    file.write(block)
    except (zipfile.BadZipFile, EOFError, NotImplementedError) as error:
        archive.unlink(missing_ok=True)
        raise InputError(f"{archive.name} is damaged ({error}). Run again to fetch it anew.") from error


def _with_our_errors(call: Callable[[], object], piece: Piece) -> Any:
    """Return the result of the call; its errors are converted to ours."""
    page = f"https://www.kaggle.com/datasets/{piece.name}"
    try:
        return call()
    except requests.HTTPError as error:
        status = error.response.status_code if error.response is not None else 0
        if status in (401, 403):
            raise ByHand(f"{LOGIN}, and accept the terms of {page} if it has some.") from None
        refuse(status, error.response.headers.get("Retry-After") if error.response is not None else None, page)
        raise InputError(f"{page}: Kaggle answers {status}") from None
    except requests.RequestException as error:
        raise Passing(f"the line broke ({type(error).__name__})") from None
    except SystemExit as error:  # the client exits the process without an account
        raise ByHand(f"{LOGIN}.") from error


def _client() -> object:
    """Return Kaggle's client with the user's account. Its messages about accounts are not repeated."""
    try:
        with redirect_stdout(io.StringIO()):
            from kaggle.api.kaggle_api_extended import KaggleApi

            api = KaggleApi()
            api.authenticate()
    except ModuleNotFoundError as error:
        raise InputError(f"Kaggle needs its client: pip install 'authbench[acquire]' ({error}).") from None
    except (SystemExit, OSError, ValueError):
        raise ByHand(f"{LOGIN}.") from None
    return api
