"""What need numba not import before it runs a kernel?

At the first call of any compiled function numba imports the extensions that other packages have for it (awkward has
one) and SciPy's BLAS, for dot products in compiled code. No kernel uses either, and together they take longer than all
else that a small job does.
"""

import sys

from numba.core import entrypoints
from numba.np import linalg


def leave_out_extensions_and_blas() -> None:
    """For processes that compile nothing but our kernels: the jobs of a run."""
    entrypoints._already_initialized = True
    if "numba.np.arraymath" in sys.modules:
        return
    ensure_blas = linalg.ensure_blas
    linalg.ensure_blas = _no_blas
    import numba.np.arraymath  # noqa: F401  (asks for it once, when it is imported)

    linalg.ensure_blas = ensure_blas


def _no_blas() -> None:
    raise ImportError("left out")
