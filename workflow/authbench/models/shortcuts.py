"""Vectors that ignore style: where a text comes from and how long it is, or its rarest words.

A model that scores no higher has shown nothing about authorship.
"""

from typing import Any

import numpy as np
import polars as pl

from authbench.models.parameters import MetadataParameters, RareWordsParameters

LENGTHS_PER_OCTAVE = 2


def metadata_vectors(documents: pl.DataFrame, candidates: int, parameters: MetadataParameters) -> np.ndarray:
    """Return one-hot `fields` (`lang`, `source`, `genre`) and the length in tokens, shape (documents, columns).

    A length is a bump over points on a logarithmic scale, two to an octave, so that texts of similar length agree.
    """
    parts = [_one_hot(documents[field]) for field in parameters.fields]
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


def rare_word_vectors(documents: pl.DataFrame, candidates: int, parameters: RareWordsParameters) -> Any:
    """Return TF-IDF of the words that 2 to `most_documents` candidates have, shape (documents, words).

    Such words are names, topics, links.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    from authbench.models.lexical import WORD, weighted

    counter = CountVectorizer(token_pattern=WORD, min_df=2, max_df=parameters.most_documents, dtype=np.float32)
    texts = documents["content"].to_list()
    return weighted(counter, texts[:candidates], texts)
