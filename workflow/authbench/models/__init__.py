"""How does a model turn texts into vectors?

A model is a page of YAML in config/models: its `kind` names a function of KINDS, `parameters` are that function's.
A kind takes the texts of a split (and what is known of them) and gives a row per text, L2-normalised: a float32 array,
or a CSR matrix where most columns are zero.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import polars as pl

# documents (as in `evaluate.split.Split`), the number of candidates (they come first), parameters -> vectors
Encoder = Callable[[pl.DataFrame, int, Mapping[str, Any]], Any]

# The module and function of each kind; what it needs is imported when it is asked for.
KINDS = {
    "random": ("chance", "random_vectors"),
    "metadata": ("shortcuts", "metadata_vectors"),
    "rare_words": ("shortcuts", "rare_word_vectors"),
    "ngrams": ("lexical", "ngram_vectors"),
    "function_words": ("function_words", "function_word_vectors"),
    "stylometric": ("stylometric", "stylometric_vectors"),
}


def encoder(kind: str) -> Encoder:
    """The function of a kind."""
    module, function = KINDS[kind]
    found: Encoder = getattr(import_module(f"authbench.models.{module}"), function)
    return found
