"""Compare the first and the last characters of texts: greetings, sign-offs, headings."""

from typing import Any

import numpy as np
import polars as pl

from authbench.models.character_ngrams import count_ngrams
from authbench.models.lexical import tfidf, with_rows_of_length_1
from authbench.models.parameters import EdgesParameters


def edge_vectors(documents: pl.DataFrame, candidates: int, parameters: EdgesParameters) -> Any:
    """Return TF-IDF of the n-grams of both ends, concatenated, shape (documents, n-grams)."""
    from scipy.sparse import hstack

    size, texts = parameters.characters, documents["content"].to_list()
    parts = []
    for ends in ([text[:size] for text in texts], [text[-size:] for text in texts]):
        counts = count_ngrams(ends, candidates, "char", parameters.n, lower_case=False)
        parts.append(tfidf(counts, candidates, len(ends), sublinear=True))
    return with_rows_of_length_1(hstack(parts, "csr", dtype=np.float32))
