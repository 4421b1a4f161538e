"""Measure whether texts of the same style cluster.

Mini-batch k-means makes a cluster per label, which the V-measure judges (STEB §3.1). It is not adjusted for
chance, so the V-measure of the same clusters with shuffled labels is also reported.
"""

import warnings
from collections.abc import Sequence

import numpy as np

from authbench.core.arrays import I64
from authbench.core.json_values import JsonObject
from authbench.suites.style import intervals
from authbench.suites.style.pairs import compact

BATCH = 32
STARTS = 10  # the run with the lowest inertia is used
SHUFFLES = 20


def score(vectors: object, labels: I64, seeds: Sequence[int]) -> JsonObject:
    """Return V-measure over seeds with its spread (both 0 to 1), and its mean with shuffled labels (`by_chance`).

    `vectors` (texts x dimensions) may be sparse. With a single label the result is `undefined`. The number of clusters
    is the number of labels, or of distinct vectors if that is smaller.
    """
    k = len(np.unique(labels))
    if k < 2:
        return {"undefined": "texts of one label only", "labels": k, "texts": len(labels)}
    points = compact(vectors).astype(np.float64, copy=False)  # k-means would convert single precision at every step
    # with scikit-learn's defaults, small labels can be missed at initialisation or lose their cluster
    options = {"n_init": STARTS, "init_size": points.shape[0], "reassignment_ratio": 0}
    found = [k_means(points, k, seed, **options) for seed in seeds]
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


def score_once(vectors: object, labels: Sequence[object], seed: int = 42) -> JsonObject:
    """Return `v_measure` as in STEB's code: of unnormalised vectors, clustered once with scikit-learn's defaults."""
    codes = np.unique(np.asarray(labels, str), return_inverse=True)[1]
    if not codes.any():
        return {"undefined": "texts of one label only"}
    found = k_means(vectors, int(codes.max()) + 1, seed, n_init="auto").astype(np.int64)
    return {"v_measure": v_measure(codes, found), "interval": intervals.of_clusters(codes, [found])}


def k_means(vectors: object, k: int, seed: int, **options: object) -> I64:
    """Return the cluster of each row by mini-batch k-means with scikit-learn's defaults but for `options`."""
    from sklearn.cluster import MiniBatchKMeans
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # equal vectors: fewer clusters than requested
        found: I64 = MiniBatchKMeans(k, batch_size=BATCH, random_state=seed, **options).fit_predict(vectors)
    return found


def v_measure(labels: I64, found: I64) -> float:
    """Return the V-measure of true classes and clusters, shape (texts,), in [0, 1].

    It is the harmonic mean of homogeneity and completeness (Rosenberg and Hirschberg 2007).
    """
    from sklearn.metrics import v_measure_score

    return float(v_measure_score(labels, found))
