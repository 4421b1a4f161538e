"""Cache compiled functions safely when processes on several machines write at the same time.

numba numbers the files of a function's compiled forms by an index that each process reads before it writes. On a
cluster, two nodes with different processors could take the same number at the same time, and the process whose index is
written last could load code made for the other processor. Here a file is named by what it was compiled for, and exists
before the index names it. In the worst case, the second process recompiles what the index lost.

A process that compiles a function holds a lock until its code is saved. Jobs that start together therefore compile it
once: the others wait, without processor time, and read it. Locks are taken from callers to callees, hence no two
processes wait for each other.

Numba is kept from importing modules that no kernel of this library uses. At the first call of any compiled function
numba imports the extensions that other packages register for it (such as awkward) and SciPy's BLAS, for dot products in
compiled code. No kernel uses either, and importing them takes longer than the rest of a small job.
"""

import hashlib
import logging
import os
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import IO, Any

import numpy as np
from numba.core import entrypoints
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, InTreeCacheLocator
from numba.core.runtime.nrt import rtsys
from numba.np import linalg

from authbench.core.runtime.caches import compiled_code
from authbench.core.storage.system import fcntl


def leave_out_extensions_and_blas() -> None:
    """Disable both imports in this process, which must compile only this library's kernels, as the jobs of a run do."""
    entrypoints.init_all = lambda: None
    if "numba.np.arraymath" in sys.modules:
        return
    ensure_blas = linalg.ensure_blas
    linalg.ensure_blas = _no_blas
    import numba.np.arraymath  # noqa: F401  (asks for it once, when it is imported)

    linalg.ensure_blas = ensure_blas


def _no_blas() -> None:
    raise ImportError("left out")


_COMPILED_BY = Path(__file__).with_name("jit.py")  # states how all kernels are compiled
_FROZEN = (bool, int, float, complex, str, bytes, np.generic, np.dtype)
_KNOWN: dict[tuple[str, bytes], str] = {}


def digest_of_kernels(kernel: Callable[..., object]) -> str:
    """Return 16 hexadecimal digits over everything that compiled code of a kernel's module contains.

    That is the text of the module, the modules of kernels that it imports (their code is compiled into its code), and
    the constants that it imported, whose values numba freezes. It is the same in every copy of the sources.

    Args:
        kernel: a Python function; the imports of its module must be loaded.
    """
    source = Path(kernel.__code__.co_filename)
    content = source.read_bytes()
    place = (str(source), hashlib.sha256(content).digest())
    if place not in _KNOWN:
        names = sorted(name for name in kernel.__globals__ if not name.startswith("__"))
        taken = [(name, _frozen(kernel.__globals__[name], source)) for name in names]
        whole = hashlib.sha256(repr(taken).encode())
        whole.update(place[1] + hashlib.sha256(_COMPILED_BY.read_bytes()).digest())
        _KNOWN[place] = whole.hexdigest()[:16]
    return _KNOWN[place]


def _frozen(value: object, source: Path) -> object:
    """Return what compiled code may hold of a value; None if it cannot hold it or `source` itself states it."""
    if isinstance(value, _FROZEN):
        return repr(value)
    if isinstance(value, tuple):
        return tuple(_frozen(part, source) for part in value)
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
    if isinstance(value, ModuleType):
        ours = value.__name__.startswith("authbench.") and value.__file__
        return hashlib.sha256(Path(ours).read_bytes()).hexdigest() if ours else None
    kernel = getattr(value, "py_func", None)
    if kernel is None or Path(kernel.__code__.co_filename) == source:
        return None
    return digest_of_kernels(kernel)


LONGEST_WAIT = 120.0  # seconds for another process that compiles the same function
_BETWEEN_TRIES = 0.02


class FilesByContent(IndexDataCacheFile):
    """Manage a function's index and files, each file named by its signature, its processor and the function's code."""

    def save(self, key: tuple[object, ...], data: object) -> None:
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        name = f"{self._index_name.removesuffix('.nbi')}.{digest}.nbc"
        files: Any = self
        files._save_data(name, data)
        files._save_index({**files._load_index(), key: name})


class _Place(InTreeCacheLocator):
    """Locate a function's files in a folder per version of its module, below `caches.compiled_code`.

    Compiled code serves every copy of the same sources, whatever their modification times.
    """

    def __init__(self, function: Callable[..., object], source: str) -> None:
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

    def __init__(self, function: object) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        self._cache_file.__class__ = FilesByContent

    def load_overload(self, sig: object, target_context: object) -> object:
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

    def _ready(self, sig: object, target_context: object) -> object:
        """Return cached code without setting up the compiler as numba does, which saves 0.2 s of a job.

        The runtime that compiled code calls is still set up: memory, which `rtsys` provides, and the keys of hashes.
        """
        import numba.cpython.hashing  # noqa: F401  (names the keys to the linker)

        rtsys.initialize(target_context)
        numba_cache: Any = super()
        with numba_cache._guard_against_spurious_io_errors():
            return numba_cache._load_overload(sig, target_context)

    def save_overload(self, sig: object, data: object) -> None:
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


def cache_on_disk(dispatcher: Any) -> object:
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
