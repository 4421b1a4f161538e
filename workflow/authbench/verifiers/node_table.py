"""Look up the nodes of n-grams in a compiled open-addressing table, emptied by a new stamp instead of by writing it."""

import numpy as np

from authbench.arrays import I32, I64
from authbench.runtime.jit import compiled

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@compiled
def slot(keys: I64, stamps: I32, stamp: int, key: int | np.int64, shift: int) -> np.int64:
    """Return the place of a key in a table with room, or the free place for it.

    Args:
        keys: shape (slots,), a power of two.
        stamps: shape (slots,); a place with another stamp than `stamp` is free.
        stamp: of this use of the table.
        key: to look for.
        shift: 64 less the bits of a place.
    """
    at = np.int64((np.uint64(key) * _GOLDEN) >> np.uint64(shift))
    mask = len(keys) - 1
    while stamps[at] == stamp and keys[at] != key:
        at = (at + 1) & mask
    return at
