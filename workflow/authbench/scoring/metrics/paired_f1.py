"""Test whether two systems' F1 differ: approximate randomisation (Noreen 1989), computed without sampling rounds.

Under the null hypothesis, the two systems' answers to a problem are exchangeable, so each round swaps answers at random
and recomputes the difference. Only counts matter: among n problems with the same pair of answers, a round gives a
binomial number of either answer to the first system. F1 depends on three such numbers, so the share of swaps that reach
the observed difference can be summed directly. It is the limit of the share of rounds.
"""

from math import lgamma, log

import numpy as np

from authbench.core.arrays import BOOL, F64
from authbench.core.runtime.jit import compiled

Likely = tuple[int, F64]  # the first likely value of a number, and the probabilities from it on
LEAST_P = 1e-11  # smaller p are reported as this
DEVIATIONS = 7.5  # standard deviations from a binomial mean; the probability beyond is below LEAST_P
_NEGLIGIBLE = 1e-18  # joint probability of two of the numbers
_NEARLY = 1e-12  # tolerance in comparing with the observed difference


def p_of_paired_f1(truth: BOOL, one: F64, other: F64) -> tuple[float, float]:
    """Return the difference of two systems' F1, and its two-sided p: the share of swaps with at least this difference.

    Args:
        truth: shape (n,), True where both texts are by the same author.
        one: shape (n,), the first system's scores: above 0.5 means yes, below no, 0.5 no answer.
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
    least = sum(weights) - 3 * opposed - 2 * claimed - denied - alarmed  # of both systems where they agree
    difference = _f1(hits[0], weights[0]) - _f1(hits[1], weights[1])
    p = 1.0
    if abs(difference) > _NEARLY:
        p = _share_as_far(
            same_hits, least // 2 + opposed, sum(hits), sum(weights), abs(difference) - _NEARLY,
            _binomial(opposed), _binomial(claimed), _binomial(denied + alarmed),
        )  # fmt: skip
    return difference, min(1.0, max(LEAST_P, p))


def _f1(hits: int, weight: int) -> float:
    """Return F1; 0 without a hit."""
    return 2 * hits / weight if hits else 0.0


def _binomial(number: int) -> Likely:
    """Return the first likely value of a binomial number with p = 1/2, and the probabilities from it on."""
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
    opposed_from: Likely,
    claimed_from: Likely,
    rest_from: Likely,
) -> float:
    """Return the probability that the two F1 are at least `far` apart.

    A system has the shared hits, plus a binomial number of hits on problems where the two are opposed, and another of
    hits on problems that only 1 system claims and the other leaves open. Its F1 rises with both numbers and falls with
    the third, the misses and false alarms of a single system; thus the sufficient values of the third number change
    monotonically.

    Args:
        least: 2 hits + missed + false alarms of a system without drawn problems; an opposed hit adds 1 to it.
        hits, weights: of both systems together.
    """
    (first1, opposed), (first2, claimed), (first3, rest) = opposed_from, claimed_from, rest_from
    below = np.zeros(len(rest) + 1)  # cumulative probability below this value of the third number
    above = np.zeros(len(rest) + 1)  # cumulative probability from this value on
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
    """Return the first F1 minus the second."""
    found = 0.0
    if own > 0:
        found += 2.0 * own / weight
    if other > 0:
        found -= 2.0 * other / weight_of_other
    return found
