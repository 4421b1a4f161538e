"""Report files that cannot be written, and check for free space before a run."""

import errno
import os
import re
import shutil
import tempfile
import uuid
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from authbench.core.errors import InputError

FULL = {errno.ENOSPC, errno.EDQUOT}
CLOSED = {errno.EROFS, errno.EACCES, errno.EPERM}
TAKEN = {errno.EISDIR, errno.ENOTDIR, errno.EEXIST}
# Messages of libraries that give no errno: polars, and NumPy's count of unwritten items.
_FULL_IN_WORDS = re.compile(r"No space left|quota exceeded|os error (28|122)\b|\d+ requested and \d+ written", re.I)
_FAILED_IN_WORDS = re.compile(r"Input/output error|os error 5\b|\[errno 5\]|failed to fill whole buffer", re.I)
_NO_MEMORY_IN_WORDS = re.compile(
    r"Cannot allocate memory|out of memory|os error 12\b|failed to (spawn|launch worker) thread|can't start new thread",
    re.I,
)
ROOM = 1 << 20


def cannot_write(error: BaseException, path: Path) -> InputError | None:
    """Return the InputError for an error raised while writing `path`; None if the disk did not cause it."""
    if is_full(error):
        full = min(
            (_nearest_existing(path), Path(tempfile.gettempdir())), key=lambda place: shutil.disk_usage(place).free
        )
        usage = shutil.disk_usage(full)
        why = (
            f"the disk of {full} is full ({_size(usage.free)} of {_size(usage.total)} are free; a quota may leave less)"
        )
        mend = "Make room there"
    elif isinstance(error, OSError) and error.errno in CLOSED and _is_of(error.filename, path):
        closed = "is on a read-only disk" if error.errno == errno.EROFS else f"may not be written by user {os.getuid()}"
        why, mend = f"{_nearest_existing(path)} {closed}", "Make it writable"
    elif isinstance(error, OSError) and error.errno in TAKEN and _is_of(error.filename, path):
        there = next(place for place in (path, *path.parents) if place.exists())
        why, mend = f"{there} is a {'folder' if there.is_dir() else 'file'}", "Name another place"
    else:
        return None
    return InputError(
        f"{path} cannot be written: {why}. {mend}, then run the same command again: what is finished stays."
    )


def is_full(error: BaseException) -> bool:
    """Return whether an error reports a full disk or an exceeded quota."""
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno in FULL
    return _of_a_library(error) and bool(_FULL_IN_WORDS.search(str(error)))


def _of_a_library(error: BaseException) -> bool:
    return isinstance(error, OSError) or type(error).__module__.startswith(("polars.", "pyo3_runtime", "pyarrow."))


def machine_failed(error: BaseException, results: Path) -> InputError | None:
    """Return the InputError for an I/O error of the disk or exhausted memory; None for other errors."""
    said = (str(error).strip() or type(error).__name__).splitlines()[0][:300]
    if _is_of_disk(error):
        named = error.filename if isinstance(error, OSError) else None
        return InputError(
            f"the disk of {named or results} gave an I/O error ({said}). Look after the disk or its connection, then "
            "run the same command again: what is finished stays."
        )
    if _is_of_memory(error):
        return InputError(
            f"there was not enough memory ({said}). Give the job more (mem_mb), run fewer jobs at a time (--cores) or "
            "set more shards, then run the same command again: what is finished stays."
        )
    return None


def _is_of_disk(error: BaseException) -> bool:
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno == errno.EIO
    return _of_a_library(error) and bool(_FAILED_IN_WORDS.search(str(error)))


def _is_of_memory(error: BaseException) -> bool:
    if isinstance(error, MemoryError) or isinstance(error, OSError) and error.errno == errno.ENOMEM:
        return True
    return (_of_a_library(error) or isinstance(error, RuntimeError)) and bool(_NO_MEMORY_IN_WORDS.search(str(error)))


def check_room(folders: Iterable[str | Path]) -> None:
    """Check that a MiB can be written into each folder; missing folders are created.

    Raises:
        InputError: a folder is not writable.
    """
    for folder in map(Path, folders):
        probe = folder / f".room.{uuid.uuid4().hex}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            probe.write_bytes(bytes(ROOM))
        except OSError as error:
            raise cannot_write(error, folder) or error from None
        finally:
            with suppress(OSError):
                probe.unlink()


def _nearest_existing(path: Path) -> Path:
    """Return the path or its nearest existing ancestor."""
    path = path.absolute()
    return next(place for place in (path, *path.parents) if place.is_dir())


def _is_of(name: object, path: Path) -> bool:
    """Return whether the file named in an error is `path`, above or below it, or a temporary file for it."""
    if not isinstance(name, str | os.PathLike):
        return False
    named, path = Path(name).absolute(), path.absolute()
    aside = named.is_relative_to(path.parent) and str(named.relative_to(path.parent)).startswith(f".{path.name}.")
    return aside or named.is_relative_to(path) or path.is_relative_to(named)


def _size(count: int) -> str:
    return f"{count / 1e9:,.1f} GB" if count >= 1e9 else f"{count / 1e6:,.1f} MB"
