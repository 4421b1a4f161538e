"""Clustering: whether texts of one style are close together.

Mini-batch k-means with as many clusters as labels, and the V-measure of what it finds (STEB §3.1). V-measure is not
adjusted for chance: the same clusters with shuffled labels stand beside it.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from authbench.style import intervals
from authbench.style.pairs import compact

BATCH = 32
STARTS = 10  # of which the one with the least inertia is taken
SHUFFLES = 20


def score(vectors: Any, labels: NDArray[np.int64], seeds: Sequence[int]) -> dict[str, Any]:
    """V-measure over the seeds and its spread (both 0 to 1), and the mean with labels shuffled (`by_chance`).

    `vectors` (texts x dimensions) may be sparse. With one label only nothing can be found: `undefined` says so. Where
    fewer vectors differ than there are labels, there are as many clusters as different vectors.
    """
    k = len(np.unique(labels))
    if k < 2:
        return {"undefined": "texts of one label only", "labels": k, "texts": len(labels)}
    points = compact(vectors).astype(np.float64, copy=False)  # k-means would convert single precision at every step
    found = [_assign_clusters(points, k, seed) for seed in seeds]
    values = [v_measure(labels, one) for one in found]
    chance = []
    for seed, one in zip(seeds, found, strict=True):
        shuffle = np.random.default_rng([seed, len(labels)])
        chance += [v_measure(shuffle.permutation(labels), one) for _ in range(SHUFFLES)]
    return {
        "v_measure": float(np.mean(values)),
        "spread": float(np.std(values)),
        "by_chance": float(np.mean(chance)),
        "interval": intervals.of_clusters(labels, found),
        "labels": k,
        "texts": len(labels),
        "seeds": len(seeds),
    }


def _assign_clusters(vectors: Any, k: int, seed: int) -> NDArray[np.int64]:
    """Return the cluster of each row.

    Starts are drawn from all rows, and no cluster is moved because few rows are in it: with scikit-learn's defaults a
    small label is missed by the start, or its cluster taken away, even where labels lie apart.
    """
    from sklearn.cluster import MiniBatchKMeans
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # equal vectors: fewer clusters than asked for
        model = MiniBatchKMeans(
            n_clusters=k,
            batch_size=BATCH,
            n_init=STARTS,
            init_size=vectors.shape[0],
            reassignment_ratio=0,
            random_state=seed,
        )
        found: NDArray[np.int64] = model.fit_predict(vectors)
    return found


def v_measure(labels: NDArray[np.int64], found: NDArray[np.int64]) -> float:
    """Return the V-measure, the harmonic mean of homogeneity and completeness (Rosenberg and Hirschberg 2007).

    Args:
        labels: shape (texts,), true classes.
        found: shape (texts,), clusters.

    Returns:
        In [0, 1].
    """
    from sklearn.metrics import v_measure_score

    return float(v_measure_score(labels, found))
