"""Get vectors from a user's function: `encode(texts: list[str])` returns an array with a row per text.

The function is imported from the working directory or from PYTHONPATH. Its vectors are cached only if it has an
attribute `identity`, a string that names everything that decides them; otherwise it is called for every evaluation.
Memory: the vectors of all texts, in 32 bits.
"""

import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from authbench.core.arrays import F32
from authbench.core.errors import InputError, raised
from authbench.core.json_values import JsonObject
from authbench.models.cache import embed_new
from authbench.models.entries import ModelEntry
from authbench.models.function_code import files_of
from authbench.models.model import Model, Reference, Rows, VectorCache, unit
from authbench.models.parameters import FunctionParameters

AT_ONCE = 256  # texts of a call
_OF_FUNCTIONS: set[str] = set()  # files of functions that this process has imported; others may replace them
_EXPECTED = "Expected encode(texts: list[str]) to return an array of numbers, shape (len(texts), dimensions)."


class FunctionModel(Model):
    """A function that embeds texts.

    Raises:
        InputError: it cannot be imported, raises, or does not return a finite row of the same length for each text.
    """

    def __init__(self, entry: ModelEntry, cache: VectorCache | None = None) -> None:
        assert isinstance(entry.parameters, FunctionParameters)
        self.entry = entry
        self.embedded = 0
        self._name, self._code = entry.parameters.function, entry.parameters.code_sha256
        package = entry.parameters.package
        self._shown = f"{entry.name} ({self._name}) of {package}" if package else self._name
        self._function, self._path = _imported(self._name, self._shown, self._code, Path.cwd())
        self._dimensions: int | None = None
        self._cache = cache if isinstance(getattr(self._function, "identity", None), str) else None

    def identity(self) -> JsonObject:
        stated = getattr(self._function, "identity", None)
        half = self._cache is not None and self._cache.half
        return {"kind": "function", "function": self._name, "code": self._code, "identity": stated, "half": half}

    def embed(self, documents: pl.DataFrame, reference: Reference | None = None) -> Rows:
        return unit(self.embed_as_given(documents))

    def embed_as_given(self, documents: pl.DataFrame) -> Rows:
        """Embed documents without scaling the function's vectors to length 1."""
        texts = documents["content"].to_list()
        if self._cache is None:
            return self._encode(texts)
        place = self._cache.folder / self._name.replace(":", ".")
        return embed_new(texts, place, self.identity(), self._encode, self._cache.half)

    def _encode(self, texts: Sequence[str]) -> F32:
        parts = [self._called(list(texts[first : first + AT_ONCE])) for first in range(0, len(texts), AT_ONCE)]
        return np.concatenate(parts) if parts else np.empty((0, self._dimensions or 0), np.float32)

    def _called(self, texts: list[str]) -> F32:
        with _path_of(self._path):
            rows = called(self._function, self._shown, texts, self._dimensions)
        self._dimensions = rows.shape[1]
        self.embedded += len(texts)
        return rows


def called(function: Callable[[list[str]], object], shown: str, texts: list[str], dimensions: int | None) -> F32:
    """Return the vectors that a function gives for texts.

    Args:
        shown: the function in messages.
        dimensions: of the vectors that it gave before, if any.

    Raises:
        InputError: it raises, or does not return a finite row of the same length for each text.
    """
    count = len(texts)
    try:
        found = np.asarray(function(texts))
    except (Exception, SystemExit) as problem:
        raise InputError(f"{shown} {raised(problem)}, of {count} texts. {_EXPECTED}") from problem
    if found.dtype.kind not in "fiub":
        what = f"an array of {found.dtype}, shape {found.shape}" if found.ndim else "no array"
        raise InputError(f"{shown} returned {what} for {count} texts. {_EXPECTED}")
    if found.ndim != 2 or len(found) != count or not found.shape[1]:
        raise InputError(f"{shown} returned shape {found.shape} for {count} texts. {_EXPECTED}")
    if dimensions not in (None, found.shape[1]):
        raise InputError(
            f"{shown} returned {found.shape[1]} dimensions after {dimensions} for earlier texts. "
            "Expected as many for every text."
        )
    with np.errstate(over="ignore"):
        rows: F32 = found.astype(np.float32)
    broken = int((~np.isfinite(rows).all(axis=1)).sum())
    if broken:
        raise InputError(f"{shown} returned values that are not numbers for {broken} of {count} texts.")
    return rows


@lru_cache(maxsize=8)
def _imported(
    function: str, shown: str, code: str | None, folder: Path
) -> tuple[Callable[[list[str]], Any], tuple[str, ...]]:
    """Return the function of `module:name`, and the path of Python after the import.

    Args:
        shown: the function in messages.
        code: digest of its files; if it changes, the function is imported again.
        folder: the working directory, whose modules take precedence.
    """
    module, _, name = function.partition(":")
    files = {str(path) for path in files_of(function, folder)}
    loaded = getattr(sys.modules.get(module.partition(".")[0]), "__file__", None)
    if "." not in module and module in sys.modules and loaded not in files | _OF_FUNCTIONS:
        raise InputError(
            f"{shown}: a module called {module} is loaded already, from {loaded or 'Python itself'}. Rename yours."
        )
    for other, one in list(sys.modules.items()):
        if getattr(one, "__file__", None) in files | _OF_FUNCTIONS:
            del sys.modules[other]
    _OF_FUNCTIONS.update(files)
    try:
        with _path_of([str(folder), *sys.path]) as path:
            importlib.invalidate_caches()
            found: object = importlib.import_module(module)
            for part in name.split("."):
                found = getattr(found, part)
            path = list(path)
    except (Exception, SystemExit) as problem:
        raise InputError(f"{shown} cannot be imported: it {raised(problem)}. Expected module:function.") from None
    if not callable(found):
        raise InputError(f"{shown} is of type {type(found).__name__}. Expected a function.")
    return found, tuple(path)


@contextmanager
def _path_of(path: Sequence[str]) -> Iterator[list[str]]:
    """Set the path of Python, and restore it afterwards."""
    before = list(sys.path)
    sys.path[:] = path
    try:
        yield sys.path
    finally:
        sys.path[:] = before
