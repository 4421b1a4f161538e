"""Compile inner loops with numba: sequential, without Python's lock, and cached on disk (`caches`).

Without numba the same functions run as plain Python with the same results, a hundred times slower. They also run as
plain Python in processes with so little data that compiling (40 s, once per computer) would take longer.
"""

import logging
import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

try:
    import numba

    from authbench.core.runtime.jit_cache import cache_on_disk, leave_out_extensions_and_blas
except ImportError:
    numba = None  # type: ignore[assignment]

Kernel = TypeVar("Kernel", bound=Callable[..., object])
_plain: list[bool] = []

if numba is None:
    logging.getLogger("authbench").warning(
        "numba is missing: inner loops run as plain Python, with the same results, some hundred times slower. "
        "`pip install numba` makes them fast."
    )
elif os.environ.get("AUTHBENCH_RUN"):
    leave_out_extensions_and_blas()


def stay_plain() -> None:
    """Run the functions of modules that are imported from now on as plain Python in this process."""
    _plain.append(True)


def compiled(function: Kernel) -> Kernel:
    """Decorate a function of numbers and arrays whose loops run once per character, document or pair."""
    if numba is None or _plain:
        return np.errstate(over="ignore")(function)  # hashes wrap around, silently in compiled arithmetic
    kernel: Any = numba.njit(nogil=True)(function)
    called = kernel.get_call_template  # by another kernel: a constant argument, as in f(0), needs no form of its own
    kernel.get_call_template = lambda args, kws: called(tuple(map(numba.types.unliteral, args)), kws)
    return cast(Kernel, cache_on_disk(kernel))
