"""Count the n-grams of sentences, and compute the likelihood of other sentences from these counts, in compiled loops.

An n-gram is a node: 0 is the empty n-gram, others are found in a table by (the node without the last token, that
token). Each node has four counts: its occurrences, the different tokens that follow it, the different tokens that
precede it, and the different pairs that surround it.
"""

from typing import NamedTuple

import numpy as np

from authbench.core.arrays import F64, I32, I64
from authbench.core.runtime.jit import compiled
from authbench.scoring.verifiers.node_table import Table, slot

START, END = 0, 1  # tokens of padding; words follow
OCCURS, FOLLOWING, PRECEDING, AROUND = range(4)
_TOKEN_BITS = 32
DISCOUNT = 0.75  # of Kneser-Ney


class Sentences(NamedTuple):
    """Hold the numbers of tokens, sentence after sentence, and where each begins (with the end of the last)."""

    tokens: I64
    starts: I64

    @property
    def number(self) -> int:
        return len(self.starts) - 1


@compiled
def read(sentences: Sentences, chosen: I64, order: int, pads_count: bool, table: Table, stamp: int, grams: I32) -> None:
    """Count every n-gram of up to `order` tokens of the chosen sentences.

    A sentence is `order` - 1 times START, its tokens, END. With `pads_count` START is a word like others; without, no
    n-gram ends in it, and n-grams of only START count once per sentence.

    Args:
        chosen: numbers of sentences.
        grams: shape (4, room), the counts of each node.
    """
    tokens, starts = sentences.tokens, sentences.starts
    made = 0
    grams[:, 0] = 0
    ends = np.full(order + 1, -1, np.int64)  # nodes of the n-grams of 0, 1, 2, ... tokens that end here
    chain = np.full(order + 1, -1, np.int64)
    chain[0] = 0
    if not pads_count:
        for length in range(1, order):
            key = (np.int64(chain[length - 1]) << _TOKEN_BITS) | START
            at = slot(table, stamp, key)
            made += 1
            table.stamps[at], table.keys[at], table.nodes[at] = stamp, key, made
            grams[:, made] = 0
            grams[OCCURS, made] = len(chosen)
            chain[length] = made
    for sentence in chosen:
        ends[:] = chain
        first = starts[sentence] - (order - 1 if pads_count else 0)
        for place in range(first, starts[sentence + 1] + 1):
            token = np.int64(END)
            if place < starts[sentence]:
                token = np.int64(START)
            elif place < starts[sentence + 1]:
                token = tokens[place]
            grams[OCCURS, 0] += 1
            before = ends[0]
            middle = np.int64(-1)  # the n-gram between the first and the last token
            suffix = np.int64(0)
            for length in range(1, order + 1):
                if before < 0:
                    break
                key = (before << _TOKEN_BITS) | token
                at = slot(table, stamp, key)
                if table.stamps[at] != stamp:
                    made += 1
                    table.stamps[at], table.keys[at], table.nodes[at] = stamp, key, made
                    grams[:, made] = 0
                    grams[FOLLOWING, before] += 1
                    if length > 1:
                        grams[PRECEDING, suffix] += 1
                        grams[AROUND, middle] += 1
                node = np.int64(table.nodes[at])
                grams[OCCURS, node] += 1
                middle = before
                before = ends[length]
                ends[length] = node
                suffix = node


@compiled
def _log_likelihood(disputed: Sentences, order: int, table: Table, stamp: int, grams: I32, each: F64) -> float:
    """Return the decimal logarithm of the probability of all sentences from the counts of `read` (Kneser-Ney).

    The logarithm of each token, and after them of each sentence's END, is added to `each`.

    The longest context uses the occurrences of an n-gram, shorter contexts the number of tokens that precede it; an
    unseen context is shortened. An unseen token gets the remainder of the discount, divided by the number of known
    tokens plus 1 for all others.
    """
    tokens, starts = disputed.tokens, disputed.starts
    total = 0.0
    words = grams[FOLLOWING, 0] + 1.0
    ends = np.full(order + 1, -1, np.int64)
    after = np.full(order + 1, -1, np.int64)
    for sentence in range(len(starts) - 1):
        ends[:] = -1
        ends[0] = 0
        for length in range(1, order):
            at = slot(table, stamp, (ends[length - 1] << _TOKEN_BITS) | START)
            if table.stamps[at] != stamp:
                break
            ends[length] = table.nodes[at]
        for place in range(starts[sentence], starts[sentence + 1] + 1):
            token = tokens[place] if place < starts[sentence + 1] else np.int64(END)
            after[:] = -1
            after[0] = 0
            for length in range(1, order + 1):
                if ends[length - 1] < 0:
                    break
                at = slot(table, stamp, (ends[length - 1] << _TOKEN_BITS) | token)
                if table.stamps[at] == stamp:
                    after[length] = table.nodes[at]
            p = 1.0 / words
            for length in range(order):
                node = ends[length]
                if node < 0:
                    break
                last = length == order - 1
                seen = 0.0
                if after[length + 1] >= 0:
                    seen = grams[OCCURS if last else PRECEDING, after[length + 1]]
                of = grams[OCCURS if last else AROUND, node]
                p = (max(0.0, seen - DISCOUNT) + DISCOUNT * grams[FOLLOWING, node] * p) / of
            logarithm = np.log10(p)
            total += logarithm
            each[place if token != END else starts[-1] + sentence] += logarithm
            ends[:] = after
    return total


@compiled
def log_likelihoods(
    pool: Sentences, draws: I64, disputed: Sentences, order: int, pads_count: bool, table: Table, stamp: int, grams: I32
) -> tuple[F64, F64]:
    """Return the `_log_likelihood` of the disputed sentences under each row of drawn sentences of the pool.

    Args:
        draws: shape (rounds, drawn), numbers of sentences of the pool.
        table: of nodes; modified.
        stamp: of the first round; each later round has the next.
        grams: shape (4, room), the counts of each node; written.

    Returns:
        Shape (rounds,), and the sum over rounds for each token, and after them for the end of each sentence.
    """
    found, each = np.empty(len(draws)), np.zeros(len(disputed.tokens) + len(disputed.starts) - 1)
    for row in range(len(draws)):
        read(pool, draws[row], order, pads_count, table, stamp + row, grams)
        found[row] = _log_likelihood(disputed, order, table, stamp + row, grams, each)
    return found, each
