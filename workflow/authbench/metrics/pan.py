"""The five measures of PAN 2021 (overview, section 4.1), each as PAN's evaluator computes it, odd cases included.

A score above 0.5 says "same author", one of exactly 0.5 is a non-answer. The tasks of detecting what machines wrote
(2024 and 2025) have the same measures with other rules of non-answers: a score above 0.5 says that the second text is
the human's (2024), or the one text a machine's (2025).
"""

from collections.abc import Mapping

import numpy as np

from authbench.arrays import BOOL, F64
from authbench.metrics.auc import auc

MEASURES = ("auc", "c@1", "f1", "f0.5u", "brier")
OF_2020 = ("auc", "c@1", "f1", "f0.5u")
OF_MACHINES = 2024  # the first year of the task of detecting what machines wrote
Truth = BOOL  # shape (n,), True where both texts are by one author


def evaluate(truth: Truth, scores: F64, published_2020: bool = False, year: int = 2021) -> dict[str, float]:
    """Return all MEASURES and `overall`, their plain mean; of OF_2020 in that year.

    Args:
        truth: shape (n,), True where both texts are by one author.
        scores: shape (n,), higher means more likely one author.
        published_2020: count a score of exactly 0.5 as "same author" in F0.5u, as PAN's tables of 2020 do.
        year: of the evaluator. From 2024 on a non-answer is a "no" in F1; in 2024 it is one in c@1, too, and scores
            outside [0, 1] are moved to its ends; from 2025 on for Brier alone, and what is undefined counts 0 in
            `overall`.

    Returns:
        By name a value in [0, 1]. The AUC is 0.0 where one class is missing or a score is not finite, as PAN's
        evaluator has it. F0.5u may be undefined, then NaN, and overall with it.
    """
    scores = np.clip(scores, 0.0, 1.0) if year == 2024 else scores
    found = {
        "auc": float(np.nan_to_num(auc(truth, scores))),
        "c@1": _c_at_1(truth, scores, open_is_no=year == 2024),
        "f1": f1(truth, without_open(scores) if year >= OF_MACHINES else scores),
        "f0.5u": _f05u(truth, np.where(scores == 0.5, 1.0, scores) if published_2020 else scores),
        "brier": brier(truth, np.clip(scores, 0.0, 1.0) if year >= OF_MACHINES else scores),
    }
    if year == 2020:
        return {**found, "overall": overall(found, OF_2020)}
    known = {name: float(np.nan_to_num(one)) for name, one in found.items()} if year > OF_MACHINES else found
    return {**found, "overall": overall(known)}


def without_open(scores: F64) -> F64:
    """Return the scores, shape (n,), with a "no" (0) for each non-answer (exactly 0.5)."""
    return np.where(scores == 0.5, 0.0, scores)


def overall(found: Mapping[str, float], measures: tuple[str, ...] = MEASURES) -> float:
    """Return the mean by which systems are ranked: of five measures in 2021, of OF_2020 the year before."""
    return float(np.mean([found[name] for name in measures]))


def _c_at_1(truth: Truth, scores: F64, open_is_no: bool = False) -> float:
    """Return accuracy, each non-answer counting as the share of all problems that are answered rightly.

    With `open_is_no` a non-answer is a "no" among these as well, as in the evaluator of 2024.
    """
    answered = scores != 0.5
    right = int(((answered | open_is_no) & ((scores > 0.5) == truth)).sum())
    silent = len(scores) - int(answered.sum())
    return (right + silent * right / len(scores)) / len(scores)


def f1(truth: Truth, scores: F64) -> float:
    """Return F1 of "same author" over the answered problems; 0 where none is. NaN counts as "same author".

    Args:
        truth: shape (n,), True where both texts are by one author.
        scores: shape (n,), in [0, 1]; 0.5 is no answer.

    Returns:
        In [0, 1].
    """
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
    """Return 1 less the mean squared distance of score and truth; 0 where a score is outside [0, 1].

    Args:
        truth: shape (n,), True where both texts are by one author.
        scores: shape (n,).

    Returns:
        In [0, 1], higher is better.
    """
    if not ((scores >= 0) & (scores <= 1)).all():
        return 0.0
    return float(1.0 - np.mean((scores - truth) ** 2))
