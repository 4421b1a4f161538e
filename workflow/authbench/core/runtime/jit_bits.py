"""Count bits in compiled loops."""

import numpy as np

from authbench.core.runtime.jit import compiled


@compiled
def ones(word: np.uint64) -> int:
    """Return the number of bits set."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((word * np.uint64(0x0101010101010101)) >> np.uint64(56))
