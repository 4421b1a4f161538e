"""Write atomically: a file or folder appears complete or not at all.

It is written under a temporary name in the same folder, flushed to disk, and renamed. A reader sees the old file or the
complete new file, and each of two concurrent writers puts a complete file in place. A writer locks its temporary file.
A temporary file left by a killed process is not locked, and the next writer of the same file removes it.
"""

import errno
import hashlib
import os
import re
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from authbench.core.storage.disk import cannot_write
from authbench.core.storage.system import fcntl


@contextmanager
def atomic_file(path: str | Path) -> Iterator[Path]:
    """Yield the path of an empty file in the folder of `path`; rename it to `path` on success, remove it otherwise.

    Raises:
        InputError: the disk is full or not writable.
    """
    path = Path(path)
    with _aside(path, _new_file, _remove_file) as (aside, handle):
        yield aside
        os.fsync(handle)
        aside.replace(path)


@contextmanager
def atomic_folder(path: str | Path) -> Iterator[Path]:
    """Yield an empty folder next to `path`; it replaces `path` on success.

    A folder cannot be renamed onto another folder, hence `path` is missing for a moment; if the process is killed then,
    it stays missing.
    """
    path = Path(path)
    with _aside(path, _new_folder, _remove_folder) as (aside, handle):
        yield aside
        for file in aside.rglob("*"):
            _to_disk(file)
        os.fsync(handle)
        while not _renamed(aside, path):  # another writer's folder came first
            before = _name_beside(path)
            with suppress(FileNotFoundError):
                path.replace(before)
            _remove_folder(before)


def write_text(path: str | Path, text: str) -> None:
    with atomic_file(path) as aside:
        aside.write_text(text, encoding="utf-8", newline="")


def sha256_of_file(path: str | Path) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _aside(path: Path, make: Callable[[Path], int], remove: Callable[[Path], None]) -> Iterator[tuple[Path, int]]:
    """Yield a new file or folder next to `path` with its locked handle; remove it at the end if it still exists."""
    handle = None
    aside = _name_beside(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path, remove)
        while handle is None:
            handle = _locked(make(aside))
            if not aside.exists():  # removed by _sweep before it was locked
                os.close(handle)
                handle = None
        yield aside, handle
    except Exception as error:
        if problem := cannot_write(error, path):
            raise problem from error
        raise
    finally:
        with suppress(OSError):
            remove(aside)
        if handle is not None:
            os.close(handle)


def _name_beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{uuid.uuid4().hex}")


def _sweep(path: Path, remove: Callable[[Path], None]) -> None:
    """Remove temporary files of `path` left by killed writers, which are not locked."""
    named = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{32}}")
    for left in [place for place in path.parent.iterdir() if named.fullmatch(place.name)]:
        with suppress(OSError):
            handle = os.open(left, os.O_RDONLY)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove(left)
            finally:
                os.close(handle)


def _locked(handle: int) -> int:
    with suppress(OSError):  # a file system without locks, where _sweep removes no files either
        fcntl.flock(handle, fcntl.LOCK_EX)
    return handle


def _new_file(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)


def _new_folder(path: Path) -> int:
    while True:
        path.mkdir()
        with suppress(FileNotFoundError):  # removed by _sweep before it was locked
            return os.open(path, os.O_RDONLY)


def _remove_file(path: Path) -> None:
    path.unlink(missing_ok=True)


def _remove_folder(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)


def _renamed(folder: Path, path: Path) -> bool:
    """Return whether the folder was renamed; False if another, non-empty folder has the name."""
    try:
        folder.replace(path)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            return False
        raise
    return True


def _to_disk(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
