"""Cache of compiled functions that processes of several machines can write at the same time.

numba numbers the files of a function's compiled forms, by an index that each process reads before it writes. On a
cluster, two nodes of different processors would take the same number at the same time, and the one whose index is
written last could be handed code made for the other's. Here a file is named by what it was compiled for, and is there
before the index names it: who comes second at worst compiles anew what the index forgot.
"""

import hashlib
import logging
from functools import cache
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, InTreeCacheLocator

from authbench.runtime.caches import compiled_code


class FilesByContent(IndexDataCacheFile):
    """A function's index and files, each file named by its signature, its processor and the function's code."""

    def save(self, key: tuple[Any, ...], data: Any) -> None:
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        name = f"{self._index_name.removesuffix('.nbi')}.{digest}.nbc"
        files: Any = self
        files._save_data(name, data)
        files._save_index({**files._load_index(), key: name})


class _Place(InTreeCacheLocator):
    """The folder of a function's files: one per package, below `caches.compiled_code`.

    What was compiled serves every copy of the same source, whenever its file was written.
    """

    def get_cache_path(self) -> str:
        return str(compiled_code() / Path(self._py_file).parent.name)

    def get_source_stamp(self) -> str:
        return hashlib.sha256(Path(self._py_file).read_bytes()).hexdigest()


class _Implementation(CompileResultCacheImpl):
    _locator_classes = [_Place]


class _KernelCache(FunctionCache):
    _impl_class = _Implementation

    def __init__(self, function: Any) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        self._cache_file.__class__ = FilesByContent


def cache_on_disk(dispatcher: Any) -> Any:
    """Let a compiled function be cached; where no file can be written, every process compiles it anew."""
    try:
        dispatcher._cache = _KernelCache(dispatcher.py_func)
    except RuntimeError:  # numba's way to say so
        _warn_once()
    return dispatcher


@cache
def _warn_once() -> None:
    logging.getLogger("authbench").warning(
        "%s cannot be written: compiled code is not cached, and every process spends seconds compiling.",
        compiled_code(),
    )
