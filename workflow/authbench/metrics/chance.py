"""Adjust scores for chance: 0 is the expectation of a random order, 1 is perfect."""

from collections.abc import Iterable, Mapping
from typing import Any

from authbench.metrics.ranking import NAMES

RANDOM_ERROR = 0.5  # equal error rate, and area under the ROC curve, of random scores


def chance_adjusted(cell: Mapping[str, Any]) -> dict[str, float]:
    """Return the adjusted scores of a cell of scores.json, by key.

    (x - r) / (1 - r) for a ranking metric x and its expectation r in a random order of the same pool
    (`random_expectation`), 1 - 2 e for an equal error rate e, 2 a - 1 for an area a under the ROC curve. A score whose
    random expectation is 1 is left out.
    """
    expected = cell.get("random_expectation", {})
    found = {
        name: (cell[name] - expected[name]) / (1 - expected[name])
        for name in NAMES
        if cell.get(name) is not None and expected.get(name) is not None and expected[name] < 1
    }
    found |= {key: 1 - cell[key] / RANDOM_ERROR for key in _known(cell, "eer")}
    return found | {key: cell[key] / RANDOM_ERROR - 1 for key in _known(cell, "roc_auc")}


def _known(cell: Mapping[str, object], family: str) -> Iterable[str]:
    return [key for key, value in cell.items() if key.split("_all")[0].startswith(family) and value is not None]
