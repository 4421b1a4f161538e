"""Compiled loop of the exact equal error rate."""

import numpy as np

from authbench.core.arrays import F64
from authbench.core.runtime.jit import compiled


@compiled
def operating_point(positives: F64, negatives: F64) -> tuple[float, float, float, float]:
    """Return where the falling FAR meets the rising FRR, and FAR, FRR and the threshold next to it.

    Operating points are joined by straight lines; of equally close rates, the highest threshold is returned.

    Args:
        positives: shape (n,), ascending.
        negatives: shape (m,), ascending.
    """
    refused = below = 0  # positives and negatives below the threshold
    rate, found = 0.0, False
    closest, at_far, at_frr, at_threshold = np.inf, 1.0, 0.0, -np.inf
    far_before = gap_before = 0.0
    while True:
        there = refused < len(positives) or below < len(negatives)
        threshold = np.inf
        if there:
            take_positive = refused < len(positives) and (
                below == len(negatives) or positives[refused] <= negatives[below]
            )
            threshold = positives[refused] if take_positive else negatives[below]
        far = 1.0 - below / len(negatives) if there else 0.0
        frr = refused / len(positives) if there else 1.0
        gap = far - frr
        distance = np.rint(abs(gap) * 1e15) / 1e15
        if distance <= closest:
            closest, at_far, at_frr, at_threshold = distance, far, frr, threshold
        if gap <= 0 and not found:
            share = 1.0 if gap == 0 else gap_before / (gap_before - gap)
            rate, found = far if gap == 0 else far_before + share * (far - far_before), True
        if not there:
            return rate, at_far, at_frr, at_threshold
        far_before, gap_before = far, gap
        while refused < len(positives) and positives[refused] <= threshold:
            refused += 1
        while below < len(negatives) and negatives[below] <= threshold:
            below += 1
