"""Score pairs as PAN's compression baseline does (Teahan and Harper 2003).

A PPM model of each text gives the cross-entropy of the other. A logistic regression on the mean and absolute difference
of both gives the probability of the same author; within a radius of 0.5 there is no answer.
"""

from typing import Any, NamedTuple

import numpy as np
import polars as pl

from authbench.core.arrays import F64, I64
from authbench.scoring.verifiers import Bench
from authbench.scoring.verifiers.node_table import table_for
from authbench.scoring.verifiers.parameters import PpmParameters
from authbench.scoring.verifiers.texts import distinct


class Fitted(NamedTuple):
    """Hold the parameters, and a logistic regression of scikit-learn."""

    parameters: PpmParameters
    regression: Any


def fit(train: pl.DataFrame, parameters: PpmParameters, bench: Bench) -> Fitted:
    from sklearn.linear_model import LogisticRegression

    seen = features(cross_entropies(train, parameters.order))
    return Fitted(parameters, LogisticRegression().fit(seen, train["same"].cast(pl.Int8).to_numpy()))


def predict(fitted: Fitted, pairs: pl.DataFrame) -> F64:
    """Return the probability of the same author from both cross-entropies; 0.5 near 0.5. Shape (pairs,)."""
    seen = features(cross_entropies(pairs, fitted.parameters.order))
    return answers(fitted.regression.predict_proba(seen)[:, 1], fitted.parameters.radius)


def answers(probabilities: F64, radius: float) -> F64:
    """Round each probability, shape (pairs,), to three decimals; return 0.5 where it lies within `radius` of 0.5."""
    silent = (probabilities >= 0.5 - radius) & (probabilities <= 0.5 + radius)
    return np.where(silent, 0.5, np.round(probabilities, 3))


def features(entropies: F64) -> F64:
    """Return the mean and the absolute difference of both cross-entropies at four decimals, shape (pairs, 2)."""
    first, second = entropies.T
    return np.round(np.stack([(first + second) / 2, np.abs(first - second)], axis=1), 4)


def cross_entropies(pairs: pl.DataFrame, order: int) -> F64:
    """Return bits per character of text 2 by a model of text 1, and of text 1 by a model of text 2, shape (pairs, 2).

    A model counts every character after each of its contexts of up to `order` characters; a character's probability is
    its share in the longest context in which it was seen, 1/256 if it was never seen. Memory: the texts, and at most 72
    (order + 1) bytes for each character of the longest.
    """
    from authbench.scoring.verifiers.ppm_kernels import bits, read

    texts, first, second = distinct(pairs)
    found = np.empty((pairs.height, 2))
    strings = max((len(text) for text in texts), default=0) * (order + 1)
    table, counts, followed = table_for(strings), np.zeros(strings + 1, np.int32), np.zeros(strings + 1, np.int32)
    stamp = 0
    for known, asked, column in ((first, second, 0), (second, first, 1)):
        read_last = -1
        for row in np.argsort(known, kind="stable"):
            if known[row] != read_last:
                stamp += 1
                read_last = known[row]
                read(_code_points(texts[read_last]), order, table, stamp, counts, followed)
            found[row, column] = bits(_code_points(texts[asked[row]]), order, table, stamp, counts, followed)
    return found


def _code_points(text: str) -> I64:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.int64)
