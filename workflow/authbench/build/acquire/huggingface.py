"""Download the files of a data set from the Hugging Face Hub.

The Hub's client is used, which supports mirrors (`HF_ENDPOINT`), tokens (`HF_TOKEN`, or `hf auth login`) and resuming a
partial file. The revision is fixed to a commit at the first listing.
"""

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from authbench.build.acquire.offers import Advance, ByHand, Listing, Offer, Piece, check_patterns
from authbench.build.acquire.rows import open_ranges
from authbench.build.acquire.transfer import Passing, Pause, patiently, refuse, without_secrets
from authbench.core.errors import InputError

Result = TypeVar("Result")


def look(piece: Piece, revision: str | None, beside: Path, pause: Pause) -> Listing:
    """Return the files of the data set that fit the patterns, at the revision (a branch becomes its commit)."""
    from huggingface_hub import HfApi

    api: Any = HfApi(endpoint=os.environ.get("HF_ENDPOINT"))
    ask = partial(api.dataset_info, piece.name, revision=revision, files_metadata=True)
    what = f"The list of files of {piece.name}"
    info = patiently(lambda: _with_our_errors(ask, piece, api.endpoint), what, pause=pause)
    fitting = [one for one in info.siblings or [] if piece.asks_for(one.rfilename)]
    others = [one.rfilename for one in info.siblings or [] if not piece.asks_for(one.rfilename)]
    check_patterns(piece, [one.rfilename for one in fitting], others)
    places = {one.rfilename: piece.place(one.rfilename) for one in fitting}  # check all names first

    def offers() -> Iterator[Offer]:
        for one in sorted(fitting, key=lambda one: str(one.rfilename)):
            yield Offer(
                places[one.rfilename],
                one.size,
                one.lfs.sha256 if one.lfs else None,
                partial(_bring, piece, info.sha, one.rfilename, api.endpoint, beside, pause),
                partial(_stream, piece.name, info.sha, one.rfilename, api.endpoint, one.size, pause),
            )

    return Listing(info.sha, {places[one.rfilename]: one.size for one in fitting}, offers())


def _stream(name: str, commit: str, file: str, endpoint: str, size: int, pause: Pause) -> BinaryIO:
    """Open a file as a stream; a token goes to no other host."""
    from huggingface_hub import hf_hub_url
    from huggingface_hub.utils import build_hf_headers

    url = hf_hub_url(name, file, repo_type="dataset", revision=commit, endpoint=endpoint)
    return open_ranges(url, size, build_hf_headers(), pause)


def _bring(
    piece: Piece, commit: str, name: str, endpoint: str, beside: Path, pause: Pause, part: Path, advance: Advance
) -> None:
    import huggingface_hub.utils

    hub: Any = huggingface_hub

    class ProgressBar(hub.utils.tqdm):  # type: ignore[misc]
        """A progress bar for the client that draws nothing and passes the numbers on."""

        def __init__(self, *arguments: object, **settings: Any) -> None:
            super().__init__(*arguments, **{**settings, "disable": True})
            advance(settings.get("initial") or 0)

        def update(self, n: float | None = 1) -> None:
            advance(int(n or 0))

    place = {"repo_type": "dataset", "revision": commit, "local_dir": beside, "endpoint": endpoint}
    download = partial(hub.hf_hub_download, piece.name, name, **place, tqdm_class=ProgressBar)
    come = patiently(lambda: _with_our_errors(download, piece, endpoint), f"{piece.name}: {name}", pause=pause)
    Path(come).replace(part)


def _with_our_errors(call: Callable[[], Result], piece: Piece, endpoint: str) -> Result:
    """Return the result of the call; its errors are converted to ours."""
    from huggingface_hub import errors

    page = f"{endpoint}/datasets/{piece.name}"
    try:
        return call()
    except errors.GatedRepoError as error:
        raise ByHand(
            f"{piece.name} is gated: accept its terms at {page}, then log in with `hf auth login` or set HF_TOKEN."
        ) from error
    except errors.RevisionNotFoundError as error:
        raise InputError(f"{piece.name} has no revision {piece.revision or 'main'}; see {page}/commits") from error
    except errors.RepositoryNotFoundError as error:
        raise ByHand(
            f"{page} is not there, or is private: look whether it has moved; if it is yours to see, log in with "
            "`hf auth login` or set HF_TOKEN."
        ) from error
    except errors.HfHubHTTPError as error:
        refuse(error.response.status_code, error.response.headers.get("Retry-After"), page)
        raise InputError(f"{page}: {without_secrets(str(error))}") from None
    except errors.HTTPError as error:  # the client has already tried five times
        raise Passing(f"the line broke ({type(error).__name__})") from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise InputError(
            f"{piece.name}: {without_secrets(str(error).splitlines()[0])}"
        ) from None  # such as an unexpected size
