"""How do processes that compile at the same time keep their code in one folder?

numba numbers the files of a function's compiled forms, by an index that each process reads before it writes. On a
cluster, two nodes of different processors would take the same number at the same time, and the one whose index is
written last could be handed code made for the other's. Here a file is named by what it was compiled for, and is there
before the index names it: who comes second at worst compiles anew what the index forgot.
"""

import hashlib
from typing import Any

from numba.core.caching import IndexDataCacheFile


class FilesByContent(IndexDataCacheFile):
    """A function's index and files, each file named by its signature, its processor and the function's code."""

    def save(self, key: tuple[Any, ...], data: Any) -> None:
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        name = f"{self._index_name.removesuffix('.nbi')}.{digest}.nbc"
        files: Any = self
        files._save_data(name, data)
        files._save_index({**files._load_index(), key: name})


def name_files_by_content(dispatcher: Any) -> Any:
    """Let a function compiled with `cache=True` keep its code so."""
    dispatcher._cache._cache_file.__class__ = FilesByContent
    return dispatcher
