"""Clustering as in STEB's code: mini-batch k-means, run once, with scikit-learn's defaults except the batch size."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from authbench.style import intervals

SEED = 42
BATCH = 32


def clusters(vectors: Any, count: int, seed: int = SEED, absolute: bool = False) -> NDArray[np.int64]:
    """Return the cluster of each row of unnormalised vectors.

    Args:
        vectors: shape (texts, dimensions), dense or CSR.
        count: requested number of clusters.
        seed: of scikit-learn.
        absolute: take absolute values of the vectors, as for feature counts.

    Returns:
        Shape (texts,).
    """
    from sklearn.cluster import MiniBatchKMeans
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # equal vectors: fewer clusters than requested
        model = MiniBatchKMeans(n_clusters=count, random_state=seed, batch_size=BATCH, n_init="auto")
        found: NDArray[np.int64] = model.fit(abs(vectors) if absolute else vectors).labels_
    return found


def score(vectors: object, labels: Sequence[object], seed: int = SEED, absolute: bool = False) -> dict[str, Any]:
    """Return `v_measure`, with a cluster per label."""
    from sklearn.metrics import v_measure_score

    count = len(set(labels))
    if count < 2:
        return {"undefined": "texts of one label only"}
    found, codes = clusters(vectors, count, seed, absolute), np.unique(np.asarray(labels, str), return_inverse=True)[1]
    interval = intervals.of_clusters(codes, [found.astype(np.int64)])
    return {"v_measure": float(v_measure_score(labels, found)), "interval": interval}
