"""Give random vectors: the score of a model without any knowledge."""

import numpy as np
import polars as pl

from authbench.identity import keyed_hash
from authbench.models.parameters import RandomParameters


def random_vectors(documents: pl.DataFrame, candidates: int, parameters: RandomParameters) -> np.ndarray:
    """Return a random direction per document, drawn by a hash of its id, shape (documents, dimensions)."""
    size, seed = parameters.dimensions, parameters.seed
    vectors = np.empty((documents.height, size), np.float32)
    for row, ident in enumerate(documents["id"]):
        vectors[row] = np.random.Generator(np.random.Philox(keyed_hash(seed, "random model", ident))).standard_normal(
            size
        )
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors
