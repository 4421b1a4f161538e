"""Cache compiled functions safely when processes on several machines write at the same time.

numba numbers the files of a function's compiled forms by an index that each process reads before it writes. On a
cluster, two nodes with different processors could take the same number at the same time, and the process whose index is
written last could load code made for the other processor. Here a file is named by what it was compiled for, and exists
before the index names it. In the worst case, the second process recompiles what the index lost.

A process that compiles a function holds a lock until its code is saved. Jobs that start together therefore compile it
once: the others wait, without processor time, and read it. Locks are taken from callers to callees, hence no two
processes wait for each other.
"""

import hashlib
import logging
import os
import time
from functools import cache
from pathlib import Path
from typing import IO, Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, InTreeCacheLocator
from numba.core.runtime.nrt import rtsys

from authbench.runtime.caches import compiled_code
from authbench.runtime.kernel_digest import digest_of_kernels
from authbench.storage.system import fcntl

LONGEST_WAIT = 120.0  # seconds for another process that compiles the same function
_BETWEEN_TRIES = 0.02


class FilesByContent(IndexDataCacheFile):
    """Manage a function's index and files, each file named by its signature, its processor and the function's code."""

    def save(self, key: tuple[Any, ...], data: Any) -> None:
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        name = f"{self._index_name.removesuffix('.nbi')}.{digest}.nbc"
        files: Any = self
        files._save_data(name, data)
        files._save_index({**files._load_index(), key: name})


class _Place(InTreeCacheLocator):
    """Locate a function's files in one folder per version of its module, below `caches.compiled_code`.

    Compiled code serves every copy of the same sources, whatever their modification times.
    """

    def __init__(self, function: Any, source: str) -> None:
        super().__init__(function, source)  # type: ignore[no-untyped-call]
        self._digest = digest_of_kernels(function)

    def get_cache_path(self) -> str:
        source = Path(self._py_file)
        return str(compiled_code() / source.parent.name / f"{source.stem}-{self._digest}")

    def get_source_stamp(self) -> str:
        return self._digest


class _Implementation(CompileResultCacheImpl):
    _locator_classes = [_Place]


class _KernelCache(FunctionCache):
    _impl_class = _Implementation
    _lock: IO[bytes] | None = None

    def __init__(self, function: Any) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        self._cache_file.__class__ = FilesByContent

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the function's code; None: it is not cached, and this process compiles it."""
        if os.environ.get("AUTHBENCH_RUN"):
            found = self._ready(sig, target_context)
        else:
            found = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        if found is None and self._lock is None:
            self._lock = _locked(Path(self._cache_path, f"{self._impl.filename_base}.lock"))
            found = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
            if found is not None:
                self._unlock()
        return found

    def _ready(self, sig: Any, target_context: Any) -> Any:
        """Return cached code without setting up the compiler as numba does, which saves 0.2 s of a job.

        The runtime that compiled code calls is still set up: memory, which `rtsys` provides, and the keys of hashes.
        """
        import numba.cpython.hashing  # noqa: F401  (names the keys to the linker)

        rtsys.initialize(target_context)
        numba_cache: Any = super()
        with numba_cache._guard_against_spurious_io_errors():
            return numba_cache._load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        finally:
            self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None


def _locked(path: Path) -> IO[bytes] | None:
    """Return a file that holds a lock until it is closed; None without lock support, or after LONGEST_WAIT."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("wb")
    except OSError:  # a full disk: the function is still compiled
        return None
    last = time.monotonic() + LONGEST_WAIT
    while time.monotonic() < last:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file
        except BlockingIOError:
            time.sleep(_BETWEEN_TRIES)
        except OSError:  # a file system without locks
            break
    file.close()
    return None


def cache_on_disk(dispatcher: Any) -> Any:
    """Cache a compiled function on disk; if no file can be written, every process recompiles it."""
    if not _is_ours(compiled_code()):
        return dispatcher
    try:
        dispatcher._cache = _KernelCache(dispatcher.py_func)
    except RuntimeError:  # numba's error for this
        _warn_once()
    return dispatcher


@cache
def _is_ours(folder: Path) -> bool:
    """Return whether only this user can write the folder of compiled code, run unchecked; create it if needed."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.stat()
    except OSError:
        return True  # if no file can be written, numba reports it
    if found.st_uid in (os.geteuid(), 0) and not found.st_mode & 0o022:
        return True
    logging.getLogger("authbench").warning(
        "%s can be written by others, who could put code there: it is not used, and every process spends seconds "
        "compiling. Make it yours (chown), and close it to others (chmod go-w).",
        folder,
    )
    return False


@cache
def _warn_once() -> None:
    logging.getLogger("authbench").warning(
        "%s cannot be written: compiled code is not cached, and every process spends seconds compiling.",
        compiled_code(),
    )
