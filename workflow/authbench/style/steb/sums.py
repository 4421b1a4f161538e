"""Aggregate scores as STEB's code does: cluster the datasets by the given models, then take plain means."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from authbench.style.redundancy import CUT, correlations

FEWEST_MODELS = 3
CONFIDENT = 10  # minimum number of models for reliable clusters


def linked(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Ward's linkage of datasets (models x datasets) by 1 minus Spearman's correlation."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    apart = np.clip(1 - correlations(scores), 0, 2)
    np.fill_diagonal(apart, 0)
    return np.asarray(linkage(squareform((apart + apart.T) / 2, checks=False), "ward"))


def of_task(
    models: Sequence[str],
    datasets: Sequence[str],
    scores: NDArray[np.float64],
    cut: float = CUT,
    complete_datasets: bool = True,
) -> dict[str, Any] | None:
    """Return a task's aggregate, the mean over means within clusters of datasets; None for too few models.

    Args:
        scores: models x datasets, NaN if missing.
        complete_datasets: leave out datasets that a model lacks; otherwise leave out the models that lack a dataset.
    """
    there = np.isfinite(scores)
    rows: list[int] = (np.arange(len(models)) if complete_datasets else np.flatnonzero(there.all(axis=1))).tolist()
    columns: list[int] = (np.flatnonzero(there.all(axis=0)) if complete_datasets else np.arange(len(datasets))).tolist()
    if len(rows) < FEWEST_MODELS or not len(columns):
        return None
    table = scores[np.ix_(rows, columns)]
    found: dict[str, Any] = {
        "models": [models[row] for row in rows],
        "datasets": [datasets[column] for column in columns],
        "low_confidence": len(rows) < CONFIDENT,
    }
    of_dataset = np.zeros(len(columns), np.int64)
    if len(columns) > 1:
        from scipy.cluster.hierarchy import fcluster

        found["linkage"] = linked(table)
        of_dataset = fcluster(found["linkage"], cut, "distance")
    clusters = [np.flatnonzero(of_dataset == one) for one in np.unique(of_dataset)]
    sums = np.mean([table[:, one].mean(axis=1) for one in clusters], axis=0)
    found["clusters"] = [[found["datasets"][place] for place in one] for one in clusters]
    found["task_score"] = dict(zip(found["models"], map(float, sums), strict=True))
    return found


def overall(task_scores: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return each model's mean over the tasks it has."""
    models = dict.fromkeys(model for scores in task_scores.values() for model in scores)
    return {model: float(np.mean([one[model] for one in task_scores.values() if model in one])) for model in models}
