"""Pairs as in STEB's code: area under the ROC curve, standardised partial areas, and equal error rate."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from authbench.arrays import F64
from authbench.style import intervals
from authbench.style import pairs as strict
from authbench.style.pairs import all_cosines, cosines, unit

PARTS = (0.01, 0.05, 0.10, 0.20, 0.30, 0.50)  # maximum false positive rates


def measure(same: NDArray[np.bool_], scores: F64) -> dict[str, Any]:
    """Return `auc`, `eer`, and `auc@x`: the standardised area up to a false positive rate of x (McClish 1989).

    If all pairs are of the same kind, the result is `undefined`.
    """
    from scipy.optimize import brentq
    from sklearn.metrics import roc_curve

    if same.all() or not same.any():
        return {"undefined": "all pairs of one kind"}
    false, true, _ = roc_curve(same, scores)
    found = {
        "eer": float(brentq(lambda x: 1 - x - np.interp(x, false, true), 0.0, 1.0)),
        "auc": float(np.trapezoid(true, false)),
    }
    return found | {f"auc@{most:.2f}": _partial(false, true, most) for most in PARTS}


def _partial(false: F64, true: F64, most: float) -> float:
    """Return the area below `most`, scaled such that chance is 0.5 and a perfect score is 1."""
    stop = int(np.searchsorted(false, most, "right"))
    edge = np.interp(most, false[stop - 1 : stop + 1], true[stop - 1 : stop + 1])
    area = np.trapezoid(np.append(true[:stop], edge), np.append(false[:stop], most))
    least = 0.5 * most**2
    return float(0.5 * (1 + (area - least) / (most - least)))


def predefined(first: object, second: object, same: NDArray[np.bool_], differences: bool = False) -> dict[str, object]:
    """Return the measures over predefined pairs, each a row of `first` with the same row of `second`.

    Args:
        first: shape (pairs, dimensions), dense or CSR.
        second: likewise.
        same: shape (pairs,), True for positives.
        differences: score by the negative sum of absolute differences, as for feature counts.
    """
    scores = -_distances(first, second) if differences else cosines(unit(first), unit(second))
    found = measure(same, scores)
    return found if "undefined" in found else {**found, "interval": intervals.of_area(same, scores)}


def all_to_all(vectors: object, labels: Sequence[object], per_label: bool = False) -> dict[str, object]:
    """Return the measures over all pairs of texts; `_per_label` has them for pairs with a text of the label.

    Memory: 17 bytes per pair, plus about five times that for scikit-learn's curve.
    """
    rows = unit(vectors)
    names, codes = np.unique(np.asarray(labels, dtype=str), return_inverse=True)
    one, other = np.triu_indices(len(codes), 1)
    scores = all_cosines(rows, rows)[one, other]
    same = codes[one] == codes[other]
    found: dict[str, Any] = measure(same, scores)
    if "undefined" not in found:  # area and interval equal those of the strict protocol
        found["interval"] = strict.all_to_all(vectors, codes)["interval"]
    if per_label:
        found["_per_label"] = {}
        for code, name in enumerate(names):
            here = (codes[one] == code) | (codes[other] == code)
            if same[here].any() and not same[here].all():
                found["_per_label"][str(name)] = measure(same[here], scores[here])
    return found


def _distances(one: Any, other: Any) -> F64:
    return np.asarray(abs(one - other).sum(axis=1), np.float64).ravel()
