"""Measure the influence of topics on answers (overview of PAN 2021, section 7.1.3).

Topics come from non-negative matrix factorisation of TF-IDF vectors of content words, learnt from train pairs if
available. The cosine of a pair's topic vectors is compared with ground truth, scores and errors. For few texts, or
texts on a single topic, this is uninformative and is not reported.
"""

from collections.abc import Mapping
from typing import NotRequired, TypeAlias, TypedDict

import numpy as np
import polars as pl

from authbench.core.arrays import F64
from authbench.models.topics import draw_texts, topic_vectors
from authbench.scoring.metrics.pan import Truth
from authbench.scoring.verifiers.texts import distinct, text_cosines

FEWEST_PAIRS = 20  # minimum for a regression
LEAST_SPREAD = 0.01  # minimum standard deviation of similarities or scores


def topic_similarities(
    pairs: pl.DataFrame, topics: int, seed: int = 0, train: pl.DataFrame | None = None
) -> tuple[F64, int]:
    """Return the cosine of each pair's topic vectors (`models.topics`), and the number of topics.

    Topics are learnt from `train`, drawn by hash if it has many texts, or else from the pairs. The cosine is 0 for a
    text without content words.
    """
    texts, first, second = distinct(pairs)
    learnt = texts if train is None else draw_texts(distinct(train)[0], seed)
    rows, used = topic_vectors(learnt, texts, topics, seed)
    return np.minimum(text_cosines(rows, first, second), 1.0), used


Spread: TypeAlias = Mapping[str, float | None]  # number of `pairs`, `mean` and `sd`; None without pairs


class Regression(TypedDict):
    """Regression of scores on topic similarities (`beta`, R squared) and the inverse's slope; None if `withheld`."""

    pairs: int
    beta: float | None
    r2: float | None
    beta_of_similarity: float | None
    withheld: NotRequired[str | None]


class Influence(TypedDict):
    """Relation of topic similarity to truth, scores and errors; `topics` are `learnt_from` train or test."""

    all: Spread  # of topic similarities
    same_author: Spread
    different_authors: Spread
    mann_whitney: Mapping[str, float] | None  # that same-author pairs are more similar, one-sided: `u` and `p`
    regression: Mapping[str, Regression]
    topics: NotRequired[int]
    learnt_from: NotRequired[str]


def influence(truth: Truth, scores: F64, similar: F64) -> Influence:
    """Return the relation of topic similarity to truth, scores and errors; undefined and withheld values are None.

    For all pairs, and for correctly and wrongly answered pairs: mean and standard deviation of the similarity, the
    one-sided Mann-Whitney test that same-author pairs are more similar, and the regression of scores on similarity.

    Args:
        scores: shape (n,), in [0, 1].
        similar: shape (n,), topic similarities of the texts of each pair.
    """
    from scipy.stats import mannwhitneyu

    answered, right = scores != 0.5, (scores > 0.5) == truth
    same, different = similar[truth], similar[~truth]
    found: Influence = {
        "all": _spread(similar),
        "same_author": _spread(same),
        "different_authors": _spread(different),
        "mann_whitney": None,
        "regression": {
            "all": _regression(similar, scores),
            "right": _regression(similar[answered & right], scores[answered & right]),
            "wrong": _regression(similar[answered & ~right], scores[answered & ~right]),
        },
    }
    if len(same) and len(different) and np.ptp(similar) > 0:
        test = mannwhitneyu(same, different, alternative="greater")
        found["mann_whitney"] = {"u": float(test.statistic), "p": float(test.pvalue)}
    return found


def _spread(values: F64) -> Spread:
    mean, sd = (float(values.mean()), float(values.std())) if len(values) else (None, None)
    return {"pairs": len(values), "mean": mean, "sd": sd}


def _regression(similar: F64, scores: F64) -> Regression:
    """Return the slope `beta` of score on topic similarity, R squared, and the inverse's slope `beta_of_similarity`.

    Only the latter can be the overview's 0.16, given the spread of its scores and similarities. `withheld` gives the
    reason for a missing slope: for few pairs, or pairs with little variation, a slope is arbitrary.
    """
    from scipy.stats import linregress

    result: Regression = {"pairs": len(scores), "beta": None, "r2": None, "beta_of_similarity": None}
    if len(scores) < FEWEST_PAIRS:
        return result | {"withheld": f"{len(scores)} pairs, and {FEWEST_PAIRS} are needed"}
    for what, values in (("similarities", similar), ("scores", scores)):
        if values.std() < LEAST_SPREAD:
            return result | {"withheld": f"the {what} hardly differ"}
    result["withheld"] = None
    line, other = linregress(similar, scores), linregress(scores, similar)
    return result | {"beta": float(line.slope), "r2": float(line.rvalue**2), "beta_of_similarity": float(other.slope)}
