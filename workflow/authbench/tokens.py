"""How many tokens is a text?

One tokeniser for the whole benchmark: cl100k_base (AuthBench paper, A.1). Strings that look like special tokens
are ordinary text.
"""

import os
from collections.abc import Iterable
from functools import cache

import numpy as np
import polars as pl
import tiktoken
from numpy.typing import NDArray

from authbench.errors import InputError
from authbench.vocabulary import find_vocabulary

NAME = "cl100k_base"


@cache
def load_encoding() -> tiktoken.Encoding:
    """cl100k_base from the verified vocabulary file, without network.

    Raises InputError where the vocabulary is missing or not the published one.
    """
    folder = str(find_vocabulary().parent)
    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = folder
    try:
        return tiktoken.get_encoding(NAME)
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before


def encode(encoding: tiktoken.Encoding, text: str) -> NDArray[np.uint32]:
    """The token numbers of a text, as `encode_ordinary` gives them.

    Raises InputError for a run of several hundred thousand white-space characters, which the tokeniser's
    pattern cannot hold; normalised text has no such run.
    """
    try:
        tokens: NDArray[np.uint32] = encoding.encode_to_numpy(text, allowed_special=set(), disallowed_special=())
    except UnicodeEncodeError:
        return encode(encoding, text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    except ValueError as problem:
        raise InputError(
            f"A text of {len(text):,} characters cannot be tokenised: {problem}.\n"
            "It holds a very long run of white space; normalise it first."
        ) from problem
    return tokens


def count(encoding: tiktoken.Encoding, texts: Iterable[str]) -> list[int]:
    """The number of tokens of each text."""
    return [len(encode(encoding, text)) for text in texts]


@cache
def token_sizes() -> NDArray[np.int64]:
    """The length of each token in bytes, by token number."""
    vocabulary = pl.read_csv(
        find_vocabulary(), separator=" ", has_header=False, new_columns=["base64", "rank"], quote_char=None
    ).sort("rank")
    digits = pl.col("base64").str.len_bytes().cast(pl.Int64)
    padding = pl.col("base64").str.count_matches("=", literal=True).cast(pl.Int64)
    return vocabulary.select(digits // 4 * 3 - padding).to_series().to_numpy()
