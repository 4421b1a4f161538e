"""Whether two systems' F1 differ by more than chance: approximate randomisation (Noreen 1989) without its rounds.

Under the null hypothesis it does not matter which of two systems an answer came from, so in each round the two are
swapped at random and the difference is computed again. How the answers fall is all that counts: among n problems on
which two systems differ in the same way, a round gives one of them a binomial number of either answer. F1 depends on
three such numbers, and so the share of all swaps that reach the observed difference can be added up: what the share of
rounds tends to as they grow.
"""

from math import lgamma, log

import numpy as np

from authbench.arrays import BOOL, F64
from authbench.runtime.jit import compiled

LEAST_P = 1e-11  # what is smaller is given as this
DEVIATIONS = 7.5  # of a binomial number from its mean; beyond lies less than LEAST_P
_NEGLIGIBLE = 1e-18  # probability of two of the numbers together
_NEARLY = 1e-12  # a difference so near to the observed one is as far


def p_of_paired_f1(truth: BOOL, one: F64, other: F64) -> tuple[float, float]:
    """Return the difference of two systems' F1, and its two-sided p: the share of all swaps at least as far.

    Args:
        truth: shape (n,), True where both texts are by one author.
        one: shape (n,), the first system's scores: above 0.5 a yes, below a no, 0.5 no answer.
        other: shape (n,), the second system's scores.
    """
    yes, no = (one > 0.5, other > 0.5), (one < 0.5, other < 0.5)
    hits = [int((said & truth).sum()) for said in yes]
    weights = [
        hit + int((said & ~truth).sum()) + int(((said | denied) & truth).sum())
        for hit, said, denied in zip(hits, yes, no, strict=True)
    ]  # 2 hits + missed + false alarms

    def apart(problems: BOOL, first: tuple[BOOL, BOOL], second: tuple[BOOL, BOOL]) -> int:
        return int((problems & ((first[0] & second[1]) | (first[1] & second[0]))).sum())

    silent = (~yes[0] & ~no[0], ~yes[1] & ~no[1])
    opposed, claimed, denied = apart(truth, yes, no), apart(truth, yes, silent), apart(truth, no, silent)
    alarmed = apart(~truth, yes, (~yes[0], ~yes[1]))
    same_hits = int((yes[0] & yes[1] & truth).sum())
    least = sum(weights) - 3 * opposed - 2 * claimed - denied - alarmed  # of both where they agree
    difference = _f1(hits[0], weights[0]) - _f1(hits[1], weights[1])
    p = 1.0
    if abs(difference) > _NEARLY:
        p = _share_as_far(
            same_hits, least // 2 + opposed, sum(hits), sum(weights), abs(difference) - _NEARLY,
            *_binomial(opposed), *_binomial(claimed), *_binomial(denied + alarmed),
        )  # fmt: skip
    return difference, min(1.0, max(LEAST_P, p))


def _f1(hits: int, weight: int) -> float:
    """Return F1; 0 without a hit."""
    return 2 * hits / weight if hits else 0.0


def _binomial(number: int) -> tuple[int, F64]:
    """Return the first likely value of a binomial number at even odds, and the probability of it and those after."""
    spread = DEVIATIONS * np.sqrt(number) / 2 + 1
    first, last = max(0, int(number / 2 - spread)), min(number, int(number / 2 + spread) + 1)
    start = lgamma(number + 1) - number * log(2) - lgamma(first + 1) - lgamma(number - first + 1)
    steps = np.arange(first, last)
    return first, np.exp(start + np.concatenate([[0.0], np.cumsum(np.log((number - steps) / (steps + 1)))]))


@compiled
def _share_as_far(
    same_hits: int,
    least: int,
    hits: int,
    weights: int,
    far: float,
    first1: int,
    opposed: F64,
    first2: int,
    claimed: F64,
    first3: int,
    rest: F64,
) -> float:
    """Return the probability that the two F1 are at least `far` apart.

    One system has the hits that both have, and a binomial number of those where the two are opposed, and of those that
    one claims and the other leaves open. Its F1 rises with either and falls with the third number, of misses and false
    alarms that one has and the other has not: what values of it are far enough moves one way only.

    Args:
        least: 2 hits + missed + false alarms of one system without what is drawn; an opposed hit adds one to it.
        hits, weights: of both systems together.
    """
    below = np.zeros(len(rest) + 1)  # of fewer than so many values of the third number
    above = np.zeros(len(rest) + 1)  # of this one and those after
    for place in range(len(rest)):
        below[place + 1] = below[place] + rest[place]
        above[len(rest) - 1 - place] = above[len(rest) - place] + rest[len(rest) - 1 - place]
    found = 0.0
    low_of_row, high_of_row = 0, 0
    for row in range(len(opposed)):
        low, high = low_of_row, high_of_row
        settled = False
        for column in range(len(claimed)):
            weight_of_both = opposed[row] * claimed[column]
            if weight_of_both < _NEGLIGIBLE:
                continue
            own = same_hits + first1 + row + first2 + column
            weight = least + first1 + row + 2 * (first2 + column) + first3
            other = hits - own
            while low < len(rest) and _ahead(own, weight + low, other, weights - weight - low) >= far:
                low += 1
            high = max(high, low)
            while high < len(rest) and _ahead(own, weight + high, other, weights - weight - high) > -far:
                high += 1
            if not settled:
                low_of_row, high_of_row, settled = low, high, True
            found += weight_of_both * (below[low] + above[high])
    return found


@compiled
def _ahead(own: int, weight: int, other: int, weight_of_other: int) -> float:
    """Return by how much the first F1 is higher."""
    found = 0.0
    if own > 0:
        found += 2.0 * own / weight
    if other > 0:
        found -= 2.0 * other / weight_of_other
    return found
