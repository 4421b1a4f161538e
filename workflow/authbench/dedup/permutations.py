"""Draw the random permutations of MinHash by datasketch's scheme `affine32`."""

import importlib
import sys
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np

from authbench.arrays import U32

SEED = 1


def draw_permutations(count: int) -> U32:
    """Return `count` permutations h -> a * h + b modulo 2^32 of 32-bit hashes.

    Returns:
        shape (2, count), uint32: the odd factors a, and the terms b.
    """
    drawn = _minhash_module().MinHash(num_perm=count, seed=SEED, scheme="affine32").permutations
    return np.asarray(drawn, np.uint32)


def _minhash_module() -> Any:
    """Return the module `datasketch.minhash`.

    The package datasketch imports all its indexes, and for them scipy.integrate, which takes half a second in every
    job. An empty package therefore replaces it temporarily, and only the module and its dependencies are imported.
    """
    if "datasketch" in sys.modules or not (found := find_spec("datasketch")):
        return importlib.import_module("datasketch.minhash")
    sys.modules["datasketch"] = package = ModuleType("datasketch")
    package.__path__ = list(found.submodule_search_locations or [])
    try:
        return importlib.import_module("datasketch.minhash")
    finally:
        del sys.modules["datasketch"]
