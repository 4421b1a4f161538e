"""The first and the last characters of a text: greetings, sign-offs, headings."""

from typing import Any

import numpy as np
import polars as pl

from authbench.models.lexical import weighted
from authbench.models.parameters import EdgesParameters


def edge_vectors(documents: pl.DataFrame, candidates: int, parameters: EdgesParameters) -> Any:
    """Return TF-IDF of the n-grams of either end, side by side, shape (documents, n-grams)."""
    from scipy.sparse import hstack
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.preprocessing import normalize

    size, texts = parameters.characters, documents["content"].to_list()
    parts = []
    for ends in ([text[:size] for text in texts], [text[-size:] for text in texts]):
        counter = CountVectorizer(analyzer="char", ngram_range=parameters.n, lowercase=False, dtype=np.float32)
        parts.append(weighted(counter, ends[:candidates], ends, sublinear=True))
    return normalize(hstack(parts, "csr", dtype=np.float32), copy=False)
