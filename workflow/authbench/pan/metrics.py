"""How right are a verifier's answers?

The five measures of PAN 2021 (overview, section 4.1), each as PAN's evaluator computes it, odd cases included: a score
above 0.5 says "same author", one of exactly 0.5 says nothing.
"""

from collections.abc import Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from authbench.arrays import F64

MEASURES = ("auc", "c@1", "f1", "f0.5u", "brier")
OF_2020 = ("auc", "c@1", "f1", "f0.5u")
Truth = NDArray[np.bool_]


def evaluate(truth: Truth, scores: F64) -> dict[str, float]:
    """All MEASURES and `overall`, their plain mean. NaN where F0.5u is undefined, and then overall too."""
    found = {
        "auc": auc(truth, scores),
        "c@1": c_at_1(truth, scores),
        "f1": f1(truth, scores),
        "f0.5u": f05u(truth, scores),
        "brier": brier(truth, scores),
    }
    return {**found, "overall": overall(found)}


def overall(found: Mapping[str, float], measures: tuple[str, ...] = MEASURES) -> float:
    """The mean by which systems are ranked: of five measures in 2021, of OF_2020 the year before."""
    return float(np.mean([found[name] for name in measures]))


def auc(truth: Truth, scores: F64) -> float:
    """The area under the ROC curve, ties one half; 0 where all problems are of one class or a score is no number."""
    positives = int(truth.sum())
    negatives = len(truth) - positives
    if not positives or not negatives or not np.isfinite(scores).all():
        return 0.0
    above = pl.Series(scores).rank().to_numpy()[truth].sum() - positives * (positives + 1) / 2
    return float(above / (positives * negatives))


def c_at_1(truth: Truth, scores: F64) -> float:
    """Accuracy, where each non-answer counts as the share of all problems that are answered rightly."""
    answered = scores != 0.5
    right = int((answered & ((scores > 0.5) == truth)).sum())
    silent = len(scores) - int(answered.sum())
    return (right + silent * right / len(scores)) / len(scores)


def f1(truth: Truth, scores: F64) -> float:
    """F1 of "same author" over the problems that are answered; 0 where none is. NaN counts as "same author"."""
    answered = scores != 0.5
    said = answered & ~(scores < 0.5)
    right = int((said & truth).sum())
    wrong = int((said & ~truth).sum()) + int((answered & ~said & truth).sum())
    return 2 * right / (2 * right + wrong) if right else 0.0


def f05u(truth: Truth, scores: F64) -> float:
    """F0.5 of "same author", where a non-answer, on any problem, counts as a problem missed (Bevendorff et al. 2019).

    NaN where there is no same-author problem, none is claimed, and none is left open. NaN scores count nowhere.
    """
    said = scores > 0.5
    silent = int((scores == 0.5).sum())
    right, wrong = int((said & truth).sum()), int((said & ~truth).sum())
    missed = int(((scores < 0.5) & truth).sum())
    weight = 1.25 * right + 0.25 * (missed + silent) + wrong
    return 1.25 * right / weight if weight else float("nan")


def brier(truth: Truth, scores: F64) -> float:
    """1 less the mean squared distance of score and truth; 0 where a score is outside [0, 1]."""
    if not ((scores >= 0) & (scores <= 1)).all():
        return 0.0
    return float(1.0 - np.mean((scores - truth) ** 2))
