"""Count the strings of a text, and code another text by these counts: the compiled inner loops of `ppm`."""

import numpy as np

from authbench.core.arrays import I32, I64
from authbench.core.runtime.jit import compiled
from authbench.scoring.verifiers.node_table import Table, slot

CHARACTER_BITS = 21  # a Unicode code point


@compiled
def read(text: I64, order: int, table: Table, stamp: int, counts: I32, followed: I32) -> None:
    """Count every string of up to `order` + 1 characters of a text.

    A string is a node: 0 is the empty string, others are found in the table by (the node without the last character,
    that character).

    Args:
        order: the longest context.
        counts: occurrences of a node, a value per node; written.
        followed: how often a character follows it, of the same shape; written.
    """
    made = 0
    counts[0], followed[0] = 0, 0
    ends = np.zeros(order + 1, np.int32)  # the nodes of the strings that end here, longest first
    for i in range(len(text)):
        for k in range(order):
            ends[k] = ends[k + 1]
        ends[order] = 0
        for k in range(max(order - i, 0), order + 1):
            before = ends[k]
            key = (np.int64(before) << CHARACTER_BITS) | text[i]
            at = slot(table, stamp, key)
            if table.stamps[at] != stamp:
                made += 1
                table.stamps[at], table.keys[at], table.nodes[at] = stamp, key, made
                counts[made], followed[made] = 0, 0
            counts[table.nodes[at]] += 1
            followed[before] += 1
            ends[k] = table.nodes[at]


@compiled
def bits(text: I64, order: int, table: Table, stamp: int, counts: I32, followed: I32) -> float:
    """Return the mean -log2 P of a text's characters from the counts of `read`.

    Each is predicted from its frequency in the longest context in which it was seen; an unseen character costs 8 bits,
    as does an empty text.
    """
    if len(text) == 0:
        return 8.0
    total = 0.0
    ends = np.full(order + 1, -1, np.int32)
    for i in range(len(text)):
        for k in range(order):
            ends[k] = ends[k + 1]
        ends[order] = 0
        p = 1.0 / 256.0
        found = False
        for k in range(max(order - i, 0), order + 1):
            before = ends[k]
            if before < 0:
                continue
            at = slot(table, stamp, (np.int64(before) << CHARACTER_BITS) | text[i])
            if table.stamps[at] != stamp:
                ends[k] = -1
                continue
            ends[k] = table.nodes[at]
            if not found:
                found = True
                p = counts[table.nodes[at]] / followed[before]
        total -= np.log2(p)
    return total / len(text)
