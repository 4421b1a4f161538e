"""Keep numba from importing modules that no kernel of this library uses.

At the first call of any compiled function numba imports the extensions that other packages register for it (awkward has
one) and SciPy's BLAS, for dot products in compiled code. No kernel uses either, and importing them takes longer than
the rest of a small job.
"""

import sys

from numba.core import entrypoints
from numba.np import linalg


def leave_out_extensions_and_blas() -> None:
    """Disable both imports in this process, which must compile only this library's kernels, as the jobs of a run do."""
    entrypoints._already_initialized = True
    if "numba.np.arraymath" in sys.modules:
        return
    ensure_blas = linalg.ensure_blas
    linalg.ensure_blas = _no_blas
    import numba.np.arraymath  # noqa: F401  (asks for it once, when it is imported)

    linalg.ensure_blas = ensure_blas


def _no_blas() -> None:
    raise ImportError("left out")
