"""Standardise features, as in Cosine Delta.

Each feature is measured in standard deviations from its mean over the candidates of the text's language, and vectors
are compared by their angle.

Source: Evert et al. 2017, "Understanding and explaining Delta measures".
"""

import numpy as np
import polars as pl
from numpy.typing import NDArray

F32 = NDArray[np.float32]
MOST = 5.0  # deviations are clipped here: a rare word in a short text would outweigh all others


def standardised(features: NDArray[np.float64], languages: pl.Series, candidates: int) -> F32:
    """Return L2-normalised deviations (texts x features); a feature that never varies in a language is 0 there."""
    rows = np.zeros(features.shape, np.float32)
    codes = (languages.rank("dense") - 1).to_numpy()
    for code in np.unique(codes):
        own = codes == code
        pool = features[:candidates][own[:candidates]]
        if len(pool):
            spread = pool.std(axis=0)
            varies = spread > 0
            scaled = (features[own][:, varies] - pool.mean(axis=0)[varies]) / spread[varies]
            rows[np.ix_(own, varies)] = np.clip(scaled, -MOST, MOST)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: F32 = rows / np.maximum(lengths, np.finfo(np.float32).tiny)
    return unit
