"""Which strings does an author use?"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

# Words of any script; a character of Chinese or Japanese is a word.
WORD = r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+"


def ngram_vectors(documents: pl.DataFrame, candidates: int, parameters: Mapping[str, Any]) -> Any:
    """TF-IDF of n-grams, fitted on the candidates: rows of each of `parts` side by side (documents x n-grams).

    A part has an `analyzer` (`char`, `char_wb`, `word`) and `n` (shortest, longest), as scikit-learn's.
    """
    from scipy.sparse import hstack
    from sklearn.feature_extraction.text import TfidfVectorizer

    parts = [
        fitted(
            TfidfVectorizer(
                analyzer=part["analyzer"],
                ngram_range=tuple(part["n"]),
                lowercase=parameters["lower_case"],
                sublinear_tf=parameters["sublinear"],
                token_pattern=WORD if part["analyzer"] == "word" else None,
                dtype=np.float32,
            ),
            documents,
            candidates,
        )
        for part in parameters["parts"]
    ]
    return parts[0] if len(parts) == 1 else hstack(parts, "csr", dtype=np.float32) / np.float32(np.sqrt(len(parts)))


def fitted(vectorizer: Any, documents: pl.DataFrame, candidates: int) -> Any:
    """The rows of all documents by a vectorizer fitted on the candidates; zeros where it finds no string to count."""
    from scipy.sparse import csr_matrix

    texts = documents["content"].to_list()
    try:
        vectorizer.fit(texts[:candidates])
    except ValueError as problem:
        if "no terms remain" in str(problem) or "empty vocabulary" in str(problem):
            return csr_matrix((len(texts), 1), dtype=np.float32)
        raise
    return vectorizer.transform(texts)
