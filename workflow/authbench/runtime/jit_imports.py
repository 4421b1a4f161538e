"""Keep numba from importing what no kernel of this library uses.

At the first call of any compiled function numba imports the extensions that other packages register for it (awkward
has one) and, to compile, SciPy's BLAS, for dot products in compiled code. No kernel uses either, and importing them
takes longer than the rest of a small job.
"""

import os
import sys

from numba.core import entrypoints


def only_our_kernels() -> bool:
    """Return whether this process compiles only this library's kernels: a job of a run."""
    return bool(os.environ.get("AUTHBENCH_RUN"))


def leave_out_extensions() -> None:
    """Disable the import of extensions in this process, which must compile only this library's kernels."""
    entrypoints._already_initialized = True


def leave_out_blas() -> None:
    """Import what numba needs to compile, but for BLAS, in such a process."""
    if "numba.np.arraymath" in sys.modules:
        return
    from numba.np import linalg

    ensure_blas = linalg.ensure_blas
    linalg.ensure_blas = _no_blas
    import numba.np.arraymath  # noqa: F401  (asks for it once, when it is imported)

    linalg.ensure_blas = ensure_blas


def _no_blas() -> None:
    raise ImportError("left out")
