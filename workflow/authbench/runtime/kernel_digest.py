"""Hash kernels' sources: an edit recompiles only the code that it changes."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

_COMPILED_BY = Path(__file__).with_name("jit.py")  # states how all kernels are compiled
_FROZEN = (bool, int, float, complex, str, bytes, np.generic, np.dtype)
_KNOWN: dict[tuple[str, bytes], str] = {}


def digest_of_kernels(kernel: Callable[..., Any]) -> str:
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
