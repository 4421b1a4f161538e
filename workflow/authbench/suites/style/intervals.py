"""Compute 95 % bootstrap intervals of the suite's scores over texts, items, pairs or authors.

Each bootstrap round draws a multiplicity per unit. The generator's seed is a hash of the resampled data, so the same
input gives the same interval. An interval is the score plus the deviations of the resampled scores from their mean,
because resampling biases some scores, such as V-measure. Clusters and probes are not refitted.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from scipy.sparse import csr_matrix

from authbench.core.arrays import BOOL, F64, I64
from authbench.core.identity import keyed_hash

ROUNDS = 500
DECIMALS = 9  # of the limits: block sums differ in their last digits
_MOST = 4_000_000  # numbers in memory at once


@lru_cache(maxsize=2)
def _weights(units: int, purpose: str) -> F64:
    """Return each unit's multiplicity in each round (rounds x units)."""
    generator = np.random.default_rng(keyed_hash(0, "interval of style", purpose, str(units)))
    drawn = generator.integers(units, size=(ROUNDS, units)) + units * np.arange(ROUNDS)[:, None]
    counts: F64 = np.bincount(drawn.ravel(), minlength=ROUNDS * units).reshape(ROUNDS, units).astype(np.float64)
    counts.flags.writeable = False
    return counts


def _limits(value: float, drawn: F64) -> list[float] | None:
    """Return the lower and upper limits, clipped to 0 and 1; None if too few rounds have a score."""
    drawn = drawn[np.isfinite(drawn)]
    if len(drawn) < ROUNDS / 2:
        return None
    low, high = np.quantile(drawn, [0.025, 0.975]) - drawn.mean()
    return [round(float(np.clip(value + end, 0, 1)), DECIMALS) for end in (low, high)]


def of_mean(values: Sequence[float] | F64, owners: Sequence[str] | None = None) -> list[float] | None:
    """Return the interval of a mean, resampling the owners of the values if given, else values."""
    values = np.asarray(values, np.float64)
    codes = np.unique(np.asarray(owners), return_inverse=True)[1] if owners is not None else np.arange(len(values))
    drawn = _weights(int(codes.max()) + 1, "mean")
    sums, counts = drawn @ np.bincount(codes, values), drawn @ np.bincount(codes)
    return _limits(float(values.mean()), sums / counts)


def of_area(truth: BOOL, scores: F64) -> list[float] | None:
    """Return the interval of an area under the ROC curve (`metrics.auc.auc`), resampling rows."""
    levels, codes = np.unique(scores, return_inverse=True)
    which = csr_matrix((np.ones(len(codes)), (np.arange(len(codes)), codes)), shape=(len(codes), len(levels)))
    every = _weights(len(scores), "area")
    step = max(1, _MOST // max(1, len(scores)))
    areas = []
    for start in range(0, ROUNDS, step):
        drawn = every[start : start + step]
        positive, negative = (np.asarray((drawn * kind) @ which) for kind in (truth, ~truth))
        won = (positive * (negative.cumsum(axis=1) - negative / 2)).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            areas.append(won / (positive.sum(axis=1) * negative.sum(axis=1)))
    whole = np.asarray(which.T @ np.stack([truth, ~truth], axis=1).astype(np.float64))
    value = (whole[:, 0] * (whole[:, 1].cumsum() - whole[:, 1] / 2)).sum() / (truth.sum() * (~truth).sum())
    return _limits(float(value), np.concatenate(areas))


def of_texts(area: float, influence: F64) -> list[float] | None:
    """Return the interval of an area over pairs of texts, resampling texts.

    Args:
        area: in [0, 1].
        influence: shape (texts,), the first-order change of the area when a text counts twice (Hájek's projection).
    """
    return _limits(area, area + (_weights(len(influence), "texts") - 1) @ influence)


def of_items(credits: Sequence[F64], pooled: bool) -> list[float] | None:
    """Return the interval of the mean over pairs of items of the same style, resampling items within each style.

    Args:
        credits: for each style, the points of item pairs (items x items, NaN where they are not compared).
        pooled: weight all pairs equally; else weight styles equally.
    """
    sums, counts = [], []
    for number, credit in enumerate(credits):
        drawn, answered = _weights(len(credit), f"items {number}"), np.isfinite(credit)
        sums.append(((drawn @ np.where(answered, credit, 0)) * drawn).sum(axis=1))
        counts.append(((drawn @ answered) * drawn).sum(axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        drawn = np.sum(sums, axis=0) / np.sum(counts, axis=0) if pooled else np.mean(np.divide(sums, counts), axis=0)
    points = [credit[np.isfinite(credit)] for credit in credits]
    value = float(np.concatenate(points).mean() if pooled else np.mean([one.mean() for one in points]))
    return _limits(value, drawn)


def of_clusters(labels: I64, found: Sequence[I64]) -> list[float] | None:
    """Return the interval of the mean V-measure over clusterings, resampling texts.

    Args:
        labels: shape (texts,), numbers from 0.
        found: the clusters of each clustering, shape (texts,), numbers from 0.
    """
    drawn = np.vstack([np.ones(len(labels)), _weights(len(labels), "clusters")])  # first row: the score itself
    of_labels = _entropy(drawn, labels)
    values = []
    for clusters in found:
        whole = of_labels + _entropy(drawn, clusters)
        both = _entropy(drawn, labels * (int(clusters.max()) + 1) + clusters)
        values.append(np.where(whole > 0, 2 * (whole - both) / np.where(whole > 0, whole, 1), 1.0))
    mean = np.mean(values, axis=0)
    return _limits(float(mean[0]), mean[1:])


def of_hits(hits: F64) -> list[float] | None:
    """Return the interval of the accuracy averaged over features, resampling texts.

    Args:
        hits: features x texts: 1 right, 0 wrong, NaN not tested.
    """
    answered = np.isfinite(hits)
    right = np.where(answered, hits, 0)
    tested = answered.any(axis=0)
    drawn = _weights(int(tested.sum()), "hits")
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = (drawn @ right[:, tested].T) / (drawn @ answered[:, tested].T)
    return _limits(float(np.mean(right.sum(axis=1) / answered.sum(axis=1))), shares.mean(axis=1))


def _entropy(drawn: F64, codes: I64) -> F64:
    """Return the entropy of classes in each round, in nats."""
    kinds, places = np.unique(codes, return_inverse=True)
    which = csr_matrix((np.ones(len(places)), (np.arange(len(places)), places)), shape=(len(places), len(kinds)))
    counts = np.asarray(which.T @ drawn.T)  # integers with few distinct values
    whole = int(drawn.sum(axis=1).max())
    steps = np.arange(whole + 1) / whole
    terms = steps * np.log(steps, out=np.zeros(whole + 1), where=steps > 0)
    return np.asarray(-terms[counts.astype(np.int32)].sum(axis=0))
