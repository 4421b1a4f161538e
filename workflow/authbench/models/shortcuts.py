"""Vectors that ignore style: where a text comes from and how long it is.

A model that scores no higher has shown nothing about authorship.
"""

import numpy as np
import polars as pl

from authbench.models.parameters import MetadataParameters

LENGTHS_PER_OCTAVE = 2


def metadata_vectors(documents: pl.DataFrame, candidates: int, parameters: MetadataParameters) -> np.ndarray:
    """Return one-hot `fields` and the length in tokens, shape (documents, columns).

    A length is a bump over points on a logarithmic scale, two to an octave, so that texts of similar length agree.
    """
    described = documents.with_columns(primary_genre=pl.col("genre").str.split("/").list.first())
    parts = [_one_hot(described[field]) for field in parameters.fields]
    if parameters.length:
        octaves = np.log2(np.maximum(documents["token_length"].to_numpy(), 1))[:, None] * LENGTHS_PER_OCTAVE
        bumps = np.exp(-((octaves - np.arange(0, octaves.max(initial=1) + 2)) ** 2))
        parts.append((bumps / np.linalg.norm(bumps, axis=1, keepdims=True)).astype(np.float32))
    return np.concatenate(parts, axis=1) / np.float32(np.sqrt(len(parts)))


def _one_hot(values: pl.Series) -> np.ndarray:
    codes = (values.rank("dense") - 1).to_numpy().astype(np.int64)
    table = np.zeros((len(codes), int(codes.max(initial=0)) + 1), np.float32)
    table[np.arange(len(codes)), codes] = 1.0
    return table
