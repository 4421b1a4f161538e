"""Look up the nodes of n-grams in a compiled open-addressing table, emptied by a new stamp instead of by writing it."""

from typing import NamedTuple

import numpy as np

from authbench.core.arrays import I32, I64
from authbench.core.runtime.jit import compiled

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_ROOMY = 2  # places for each node


class Table(NamedTuple):
    """Hold arrays of shape (slots,), a power of two: a place with another stamp than that in use is free.

    Attributes:
        shift: 64 less the bits of a place.
    """

    keys: I64
    nodes: I32
    stamps: I32
    shift: int


def table_for(nodes: int) -> Table:
    """Return an empty table with room for so many nodes."""
    power = max(4, int(_ROOMY * nodes).bit_length())
    size = 1 << power
    return Table(np.zeros(size, np.int64), np.zeros(size, np.int32), np.zeros(size, np.int32), 64 - power)


@compiled
def slot(table: Table, stamp: int, key: int | np.int64) -> np.int64:
    """Return the place of a key, or the free place for it."""
    at = np.int64((np.uint64(key) * _GOLDEN) >> np.uint64(table.shift))
    mask = len(table.keys) - 1
    while table.stamps[at] == stamp and table.keys[at] != key:
        at = (at + 1) & mask
    return at
