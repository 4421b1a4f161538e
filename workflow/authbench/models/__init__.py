"""How does a model turn texts into vectors?

A model is a page of YAML in config/models: its `kind` names a function of `encoder`, `parameters` are that function's.
A kind takes the texts of a split (and what is known of them) and gives a row per text, L2-normalised: a float32 array,
or a CSR matrix where most columns are zero.
"""

from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

# documents (as in `evaluate.split.Split`), the number of candidates (they come first), parameters -> vectors
Encoder = Callable[[pl.DataFrame, int, Mapping[str, Any]], Any]


def encoder(kind: str) -> Encoder:
    """The function of a kind. Imported when asked for, and by name, so that a stage's code hash knows of them."""
    from authbench.models.chance import random_vectors
    from authbench.models.function_words import function_word_vectors
    from authbench.models.lexical import ngram_vectors
    from authbench.models.shortcuts import metadata_vectors, rare_word_vectors
    from authbench.models.stylometric import stylometric_vectors

    kinds: Mapping[str, Encoder] = {
        "random": random_vectors,
        "metadata": metadata_vectors,
        "rare_words": rare_word_vectors,
        "ngrams": ngram_vectors,
        "function_words": function_word_vectors,
        "stylometric": stylometric_vectors,
    }
    return kinds[kind]
