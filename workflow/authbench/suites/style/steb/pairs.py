"""Pairs as in STEB's code: area under the ROC curve, standardised partial areas, and equal error rate."""

from collections.abc import Sequence

import numpy as np

from authbench.core.arrays import BOOL, F64
from authbench.core.json_values import JsonObject
from authbench.suites.style import intervals
from authbench.suites.style import pairs as strict
from authbench.suites.style.pairs import all_cosines, cosines, unit

PARTS = (0.01, 0.05, 0.10, 0.20, 0.30, 0.50)  # maximum false positive rates


def measure(same: BOOL, scores: F64) -> JsonObject:
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


def predefined(first: object, second: object, same: BOOL) -> dict[str, object]:
    """Return the measures over predefined pairs, each a row of `first` with the same row of `second`, dense or CSR."""
    scores = cosines(unit(first), unit(second))
    found = measure(same, scores)
    return found if "undefined" in found else {**found, "interval": intervals.of_area(same, scores)}


def all_to_all(vectors: object, labels: Sequence[object]) -> dict[str, object]:
    """Return the measures over all pairs of texts.

    Memory: 17 bytes per pair, plus about five times that for scikit-learn's curve.
    """
    rows = unit(vectors)
    codes = np.unique(np.asarray(labels, dtype=str), return_inverse=True)[1]
    one, other = np.triu_indices(len(codes), 1)
    found = measure(codes[one] == codes[other], all_cosines(rows, rows)[one, other])
    if "undefined" not in found:  # area and interval equal those of the strict protocol
        found["interval"] = strict.all_to_all(vectors, codes)["interval"]
    return found
