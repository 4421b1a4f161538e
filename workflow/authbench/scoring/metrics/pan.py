"""Compute the five measures of PAN 2021 (overview, section 4.1) as PAN's evaluator does, including edge cases.

A score above 0.5 means "same author", exactly 0.5 is a non-answer. The tasks of detecting machine-written text (2024
and 2025) have the same measures with other rules for non-answers: a score above 0.5 means that the second text is the
human's (2024), or that the single text is a machine's (2025).
"""

from collections.abc import Mapping

import numpy as np

from authbench.core.arrays import BOOL, F64
from authbench.scoring.metrics.auc import auc

MEASURES = ("auc", "c@1", "f1", "f0.5u", "brier")
OF_2020 = ("auc", "c@1", "f1", "f0.5u")
OF_MACHINES = 2024  # first year of the task of detecting machine-written text
Truth = BOOL  # shape (n,), True where both texts are by one author


def evaluate(truth: Truth, scores: F64, published_2020: bool = False, year: int = 2021) -> dict[str, float]:
    """Return all MEASURES (OF_2020 in that year) and `overall`, their plain mean.

    Args:
        scores: shape (n,), higher means more likely the same author.
        published_2020: count a score of exactly 0.5 as "same author" in F0.5u, as PAN's tables of 2020 do.
        year: of the evaluator. From 2024 on, a non-answer counts as "no" in F1. In 2024 it also does in c@1, and scores
            outside [0, 1] are clipped; from 2025 on, they are clipped only for Brier, and undefined measures count 0 in
            `overall`.

    Returns:
        By name a value in [0, 1]. The AUC is 0.0 if a class is missing or a score is not finite, as in PAN's
            evaluator. F0.5u may be undefined; it and overall are then NaN.
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
    """Return the scores, shape (n,), with non-answers (exactly 0.5) replaced by "no" (0)."""
    return np.where(scores == 0.5, 0.0, scores)


def overall(found: Mapping[str, float], measures: tuple[str, ...] = MEASURES) -> float:
    """Return the mean by which systems are ranked: of the five measures in 2021, of OF_2020 the year before."""
    return float(np.mean([found[name] for name in measures]))


def _c_at_1(truth: Truth, scores: F64, open_is_no: bool = False) -> float:
    """Return accuracy, with each non-answer counted as the share of correctly answered problems.

    With `open_is_no`, a non-answer also counts as "no" in this share, as in the evaluator of 2024.
    """
    answered = scores != 0.5
    right = int(((answered | open_is_no) & ((scores > 0.5) == truth)).sum())
    silent = len(scores) - int(answered.sum())
    return (right + silent * right / len(scores)) / len(scores)


def f1(truth: Truth, scores: F64) -> float:
    """Return F1 of "same author" over the answered problems; 0 without answers. NaN counts as "same author"."""
    answered = scores != 0.5
    said = answered & ~(scores < 0.5)
    right = int((said & truth).sum())
    wrong = int((said & ~truth).sum()) + int((answered & ~said & truth).sum())
    return 2 * right / (2 * right + wrong) if right else 0.0


def _f05u(truth: Truth, scores: F64) -> float:
    """Return F0.5 of "same author", with every non-answer counted as a miss (Bevendorff et al. 2019).

    NaN if there are no same-author problems, no "same author" answers and no non-answers. NaN scores are ignored.
    """
    said = scores > 0.5
    silent = int((scores == 0.5).sum())
    right, wrong = int((said & truth).sum()), int((said & ~truth).sum())
    missed = int(((scores < 0.5) & truth).sum())
    weight = 1.25 * right + 0.25 * (missed + silent) + wrong
    return 1.25 * right / weight if weight else float("nan")


def brier(truth: Truth, scores: F64) -> float:
    """Return 1 minus the mean squared difference of score and truth; 0 if a score is outside [0, 1]."""
    if not ((scores >= 0) & (scores <= 1)).all():
        return 0.0
    return float(1.0 - np.mean((scores - truth) ** 2))
