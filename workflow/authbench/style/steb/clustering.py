"""Clustering as in STEB's code: mini-batch k-means, run once, with scikit-learn's defaults except the batch size."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from authbench.style import intervals
from authbench.style.clustering import k_means, v_measure

SEED = 42


def score(vectors: object, labels: Sequence[object], seed: int = SEED) -> dict[str, Any]:
    """Return `v_measure` of unnormalised vectors, with a cluster per label."""
    codes = np.unique(np.asarray(labels, str), return_inverse=True)[1]
    if not codes.any():
        return {"undefined": "texts of one label only"}
    found = k_means(vectors, int(codes.max()) + 1, seed, n_init="auto").astype(np.int64)
    return {"v_measure": v_measure(codes, found), "interval": intervals.of_clusters(codes, [found])}
