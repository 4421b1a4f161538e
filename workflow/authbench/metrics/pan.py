"""The five measures of PAN 2021 (overview, section 4.1), each as PAN's evaluator computes it, odd cases included.

A score above 0.5 says "same author", one of exactly 0.5 is a non-answer.
"""

from collections.abc import Mapping

import numpy as np

from authbench.arrays import BOOL, F64
from authbench.metrics.auc import auc

MEASURES = ("auc", "c@1", "f1", "f0.5u", "brier")
OF_2020 = ("auc", "c@1", "f1", "f0.5u")
Truth = BOOL  # shape (n,), True where both texts are by one author


def evaluate(truth: Truth, scores: F64, published_2020: bool = False) -> dict[str, float]:
    """Return all MEASURES and `overall`, their plain mean.

    Args:
        truth: shape (n,), True where both texts are by one author.
        scores: shape (n,), higher means more likely one author.
        published_2020: count a score of exactly 0.5 as "same author" in F0.5u, as PAN's tables of 2020 do.

    Returns:
        By name a value in [0, 1]. The AUC is 0.0 where one class is missing or a score is not finite, as PAN's
        evaluator has it. F0.5u may be undefined, then NaN, and overall with it.
    """
    found = {
        "auc": float(np.nan_to_num(auc(truth, scores))),
        "c@1": _c_at_1(truth, scores),
        "f1": f1(truth, scores),
        "f0.5u": _f05u(truth, np.where(scores == 0.5, 1.0, scores) if published_2020 else scores),
        "brier": brier(truth, scores),
    }
    return {**found, "overall": overall(found)}


def overall(found: Mapping[str, float], measures: tuple[str, ...] = MEASURES) -> float:
    """Return the mean by which systems are ranked: of five measures in 2021, of OF_2020 the year before."""
    return float(np.mean([found[name] for name in measures]))


def _c_at_1(truth: Truth, scores: F64) -> float:
    """Return accuracy, each non-answer counting as the share of all problems that are answered rightly."""
    answered = scores != 0.5
    right = int((answered & ((scores > 0.5) == truth)).sum())
    silent = len(scores) - int(answered.sum())
    return (right + silent * right / len(scores)) / len(scores)


def f1(truth: Truth, scores: F64) -> float:
    """Return F1 of "same author" over the answered problems; 0 where none is. NaN counts as "same author"."""
    answered = scores != 0.5
    said = answered & ~(scores < 0.5)
    right = int((said & truth).sum())
    wrong = int((said & ~truth).sum()) + int((answered & ~said & truth).sum())
    return 2 * right / (2 * right + wrong) if right else 0.0


def _f05u(truth: Truth, scores: F64) -> float:
    """Return F0.5 of "same author", a non-answer on any problem counting as one missed (Bevendorff et al. 2019).

    NaN where there is no same-author problem, none is claimed, and none is unanswered. NaN scores count nowhere.
    """
    said = scores > 0.5
    silent = int((scores == 0.5).sum())
    right, wrong = int((said & truth).sum()), int((said & ~truth).sum())
    missed = int(((scores < 0.5) & truth).sum())
    weight = 1.25 * right + 0.25 * (missed + silent) + wrong
    return 1.25 * right / weight if weight else float("nan")


def brier(truth: Truth, scores: F64) -> float:
    """Return 1 less the mean squared distance of score and truth; 0 where a score is outside [0, 1]."""
    if not ((scores >= 0) & (scores <= 1)).all():
        return 0.0
    return float(1.0 - np.mean((scores - truth) ** 2))
