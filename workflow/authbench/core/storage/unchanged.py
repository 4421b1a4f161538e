"""Verify that files keep their SHA-256 while they are read.

Another thread computes the digests during the reading, hence the check costs hardly any time. Size and times of every
file are compared before and after, to ensure that the bytes read are the bytes digested.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import Any

from authbench.core.errors import InputError
from authbench.core.printable import printable
from authbench.core.storage.atomic import sha256_of_file
from authbench.core.storage.json_files import read_json, write_json

_BLOCK = 8 << 20


def file_mark(path: str | Path) -> list[int]:
    """Return size, modification time and change of status of a file, in ns; writing to a file changes them."""
    stat = Path(path).stat()
    return [stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns]


def cached_digests(cache: Path, files: Iterable[Path]) -> dict[Path, str]:
    """Return the SHA-256 of each file, from a JSON file of digests if size and times are as in an earlier call."""
    known: dict[str, list[Any]] = {}
    with suppress(InputError, OSError):  # a damaged cache is ignored
        known = read_json(cache)
    fresh: dict[str, list[Any]] = {}
    found: dict[Path, str] = {}
    for path in files:
        place, mark = str(path.resolve()), file_mark(path)
        seen = known.get(place)
        if not isinstance(seen, list) or seen[:-1] != mark:
            seen = fresh[place] = [*mark, sha256_of_file(path)]
        found[path] = seen[-1]
    kept = {place: seen for place, seen in known.items() if Path(place).exists()} | fresh
    if kept != known:
        with suppress(OSError):  # without a cache, digests are computed again
            write_json(cache, kept)
    return found


@contextmanager
def unchanged(folder: Path, files: Mapping[str, str], owner: str) -> Iterator[Callable[[], None]]:
    """Verify the files while the block reads them; yield a function that raises as soon as a difference is known.

    Args:
        folder: where the files are.
        files: the expected SHA-256 by path below `folder`.
        owner: whose files they are, for the message.

    Raises:
        InputError: a file differs from the expected content, or was written to meanwhile. It replaces an InputError
            of the block, which is its consequence.
    """
    stop = Event()
    marks = {name: _mark(folder / name) for name in files}

    def differing(names: Mapping[str, str]) -> str:
        for name, expected in sorted(names.items()):
            if stop.is_set():
                return ""
            found = _sha256(folder / name)
            if found not in (expected, None):
                return (
                    f"{owner}: {printable(str(folder / name))} is not the file that this run was planned with: its "
                    f"SHA-256 is {found[:16]}…, expected {expected[:16]}…. Nothing of it is kept. Leave the files "
                    "as they are while a run reads them, and run the same command again; if it says "
                    "the same, `touch` the file."
                )
        return ""

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(differing, files)

        def check(wait: bool = False) -> None:
            if (wait or first.done()) and (message := first.result()):
                raise InputError(message)

        try:
            yield check
            check(wait=True)
        except InputError:
            stop.set()
            check(wait=True)
            raise
        finally:
            stop.set()
    stop.clear()
    touched = {name: sha256 for name, sha256 in files.items() if _mark(folder / name) != marks[name]}
    if message := differing(touched):
        raise InputError(message)


def _mark(path: Path) -> list[int]:
    try:
        return file_mark(path)
    except OSError:  # its reader reports the error
        return []


def _sha256(path: Path) -> str | None:
    """Return the SHA-256 of a file, computed in blocks that rarely delay another thread; None without the file."""
    digest, block = hashlib.sha256(), bytearray(_BLOCK)
    try:
        with path.open("rb", buffering=0) as file:
            while length := file.readinto(block):
                digest.update(memoryview(block)[:length])
    except OSError:
        return None
    return digest.hexdigest()
