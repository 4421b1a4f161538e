"""Probing: measure which surface features of a text can be predicted from its vector.

Each feature is cut into five quantile bins; train, validation and test each contain equally many texts per bin. A
logistic probe is fitted on frozen vectors; its L2 penalty is chosen on validation (STEB §3.1).
"""

import warnings
from collections.abc import Sequence

import numpy as np
from scipy.sparse import issparse

from authbench.core.arrays import BOOL, F64, I64
from authbench.core.identity import keyed_hash
from authbench.core.json_values import JsonObject
from authbench.suites.style import intervals
from authbench.suites.style.pairs import compact, unit

BINS = 5
PENALTIES = (1e-5, 1e-4, 1e-3, 1e-2)
SHARES = (0.6, 0.2, 0.2)  # train, validation, test
FEWEST = 5  # texts per bin, including one for testing
STEPS = 50  # of the optimiser, per penalty
WIDEST = 512  # dimensions of sparse vectors


def score(vectors: object, names: Sequence[str], values: F64, texts: Sequence[str]) -> JsonObject:
    """Return the test `accuracy`, averaged over features, and each feature's accuracy and chosen penalty.

    `values` has shape (texts, features). A feature whose values do not form five bins of at least FEWEST texts is left
    out and reported. Sparse vectors are reduced to their WIDEST leading directions. Chance is 0.2.
    """
    order = np.argsort([keyed_hash(0, "probing", text) for text in texts], kind="stable")
    rows = _narrow(vectors)
    by_feature: JsonObject = {}
    hits = []
    left_out = []
    for column, name in enumerate(names):
        bins = quantile_bins(values[:, column])
        parts = balanced_parts(bins, order) if bins is not None else None
        if bins is None or parts is None:
            left_out.append(name)
        else:
            by_feature[name], right = _probe(rows, bins, parts)
            hits.append(np.full(len(texts), np.nan))
            hits[-1][parts[2]] = right
    result = {"features": len(by_feature), "left_out": left_out, "texts": len(texts), "chance": 1 / BINS}
    if not by_feature:
        return {"undefined": "no feature falls into five bins", **result}
    return {
        "accuracy": float(np.mean([one["accuracy"] for one in by_feature.values()])),
        "interval": intervals.of_hits(np.stack(hits)),
        **result,
        "by_feature": by_feature,
    }


def _narrow(vectors: object) -> F64:
    """Return the rows centred and scaled to a mean squared length of WIDEST, to make penalties comparable."""
    rows = compact(unit(vectors))
    rows = rows[:, :WIDEST] if issparse(vectors) else rows
    rows = rows - rows.mean(axis=0)
    length = np.sqrt((rows**2).sum(axis=1).mean())
    return np.asarray(rows * (np.sqrt(WIDEST) / length if length else 0.0))


def quantile_bins(values: F64) -> I64 | None:
    """Return the quantile bin of each value, shape (n,), 0 to 4; None if ties leave fewer than five bins.

    >>> quantile_bins(np.array([1.0, 2, 3, 4, 5, 6, 7, 8, 9, 10])).tolist()
    [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    """
    edges = np.quantile(values, np.arange(1, BINS) / BINS) if len(values) else np.empty(0)
    bins: I64 = np.searchsorted(edges, values, "left")
    return bins if len(np.unique(bins)) == BINS else None


def balanced_parts(bins: I64, order: I64) -> list[I64] | None:
    """Return the rows of train, validation and test, equally many per bin, in the given order; None if too few."""
    members = [order[bins[order] == one] for one in range(BINS)]
    each = min(map(len, members))
    if each < FEWEST:
        return None
    test = max(1, round(SHARES[2] * each))
    check = max(1, round(SHARES[1] * each))
    cuts = [0, each - test - check, each - test, each]
    return [np.concatenate([one[low:high] for one in members]) for low, high in zip(cuts, cuts[1:], strict=False)]


def _probe(rows: F64, bins: I64, parts: Sequence[I64]) -> tuple[dict[str, float], BOOL]:
    """Return the test accuracy of the best penalty on validation (ties: the strongest), and the hits."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    train, check, test = parts
    best, right = (-1.0, 0.0, 0.0), np.zeros(len(test), bool)
    model = LogisticRegression(max_iter=STEPS, tol=1e-3, warm_start=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for penalty in sorted(PENALTIES, reverse=True):
            model.set_params(C=1 / (penalty * len(train)))
            model.fit(rows[train], bins[train])
            checked = float((model.predict(rows[check]) == bins[check]).mean())
            if checked > best[0]:
                right = model.predict(rows[test]) == bins[test]
                best = (checked, float(right.mean()), penalty)
    return {"accuracy": best[1], "validation": best[0], "penalty": best[2]}, right
