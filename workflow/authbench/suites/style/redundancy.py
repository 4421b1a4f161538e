"""Cluster datasets that rank models alike.

The distance is 1 minus Spearman's correlation of the models' scores; Ward linkage is cut at 0.5 (STEB §3.3; the paper
does not define the distance, so this choice is ours). With few models, correlations arise by chance: clustering
requires eight models. Clusters are then frozen, and a new model does not change another model's score.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict, cast

import numpy as np
import orjson

from authbench.core.arrays import F64
from authbench.core.errors import InputError
from authbench.scoring.metrics.ranking import centred_ranks

FEWEST_MODELS = 8
CUT = 0.5


def correlations(scores: F64) -> F64:
    """Return Spearman's correlation of each pair of columns (models x datasets); 0 if a column is constant."""
    centred, lengths = centred_ranks(scores) if scores.size else (scores, np.zeros(scores.shape[1]))
    with np.errstate(invalid="ignore", divide="ignore"):
        found = (centred.T @ centred) / np.outer(lengths, lengths)
    found = np.where(np.isfinite(found), np.clip(found, -1, 1), 0.0)
    np.fill_diagonal(found, 1.0)
    return np.asarray(found)


def merges(scores: F64) -> F64:
    """Return scipy's linkage matrix of the datasets (datasets - 1 x 4), from scores, shape (models, datasets)."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    return np.asarray(linkage(squareform(1 - correlations(scores), checks=False), "ward"))


def cluster_datasets(scores: F64) -> list[int]:
    """Return the cluster of each dataset (models x datasets), numbered by first occurrence."""
    if scores.shape[1] < 2:
        return [0] * scores.shape[1]
    from scipy.cluster.hierarchy import fcluster

    number: dict[int, int] = {}
    return [number.setdefault(one, len(number)) for one in fcluster(merges(scores), CUT, "distance").tolist()]


class FrozenClusters(TypedDict):
    """Cluster numbers by task and dataset, and the models they were computed from."""

    version: int
    models: list[str]
    clusters: dict[str, dict[str, int]]


def frozen(frozen_clusters: FrozenClusters | None, task: str, datasets: Sequence[str]) -> list[int] | None:
    """Return a task's frozen clusters of datasets; each new dataset is a separate cluster."""
    if frozen_clusters is None or task not in frozen_clusters["clusters"]:
        return None
    known: Mapping[str, int] = frozen_clusters["clusters"][task]
    beyond = max(known.values(), default=-1) + 1
    return [known.get(name, beyond + place) for place, name in enumerate(datasets)]


def macro(values: F64, of_cluster: Sequence[int]) -> F64:
    """Return the mean over the cluster means (models x datasets -> models)."""
    labels = np.array(of_cluster)
    within = [values[:, labels == one].mean(axis=1) for one in sorted(set(of_cluster))]
    return np.asarray(np.mean(within, axis=0))


def read_clusters(path: Path) -> FrozenClusters:
    """Return frozen clusters.

    Raises:
        InputError: the file contains no clusters.
    """
    try:
        found = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError) as problem:
        raise InputError(f"{path}: no frozen clusters ({problem}). Expected the clusters.json of a report.") from None
    if not isinstance(found, dict) or found.get("version") != 1 or not isinstance(found.get("clusters"), dict):
        raise InputError(f"{path}: no frozen clusters of version 1. Expected the clusters.json of a report.")
    return cast(FrozenClusters, found)
