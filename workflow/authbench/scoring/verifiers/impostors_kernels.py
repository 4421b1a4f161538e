"""Compute the min-max similarity of vectors by compiled loops, on all features or on parts of them."""

import numpy as np

from authbench.core.arrays import F64, I64
from authbench.core.runtime.jit import compiled


@compiled
def likeness(one: F64, others: F64, rows: I64) -> F64:
    """Return the min-max similarity of a vector to each of these rows of others; 0 for two empty vectors."""
    found = np.zeros(len(rows))
    for place in range(len(rows)):
        other = others[rows[place]]
        low, high = 0.0, 0.0
        for column in range(len(one)):
            low += min(one[column], other[column])
            high += max(one[column], other[column])
        if high > 0:
            found[place] = low / high
    return found


@compiled
def rounds_won(asking: F64, disguised: F64, others: F64, chosen: I64, parts: I64) -> int:
    """Return the number of rounds in which a vector is more similar to the disguised vector than to all impostors.

    Args:
        chosen: shape (rounds, impostors), rows of others.
        parts: shape (rounds, features), the features that count in a round.
    """
    won = 0
    for turn in range(len(parts)):
        part = parts[turn]
        own = _similarity(asking, disguised, part)
        ahead = True
        for row in chosen[turn]:
            if _similarity(asking, others[row], part) >= own:
                ahead = False
                break
        if ahead:
            won += 1
    return won


@compiled
def _similarity(one: F64, other: F64, part: I64) -> float:
    low, high = 0.0, 0.0
    for column in part:
        low += min(one[column], other[column])
        high += max(one[column], other[column])
    return low / high if high > 0 else 0.0
