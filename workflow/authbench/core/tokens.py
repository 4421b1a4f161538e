"""Tokenise texts with the tokeniser of the benchmark: cl100k_base (AuthBench paper, A.1).

Strings that look like special tokens are ordinary text. Stages count by gigatoken or, if a run's `backend` is
`packages`, by tiktoken itself.
"""

import re
import sys
from abc import ABC, abstractmethod
from base64 import b64decode
from functools import cache

import gigatoken
import numpy as np
import polars as pl
import tiktoken

from authbench.core.arrays import I32, U8, U32
from authbench.core.errors import InputError
from authbench.core.vocabulary import find_vocabulary

Tokens = U32
NAME = "cl100k_base"
# As in tiktoken, which reads the vocabulary only from the folder in an environment variable.
PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]"
    r"|\s+(?!\S)|\s"
)
# Letters and numbers of Unicode 17 known to gigatoken but not to tiktoken.
NEW_LETTERS = (
    "[\u088f\u0c5c\u0cdc\ua7ce\ua7cf\ua7d2\ua7d4\ua7f1\U00010940-\U00010959\U00010ec5-\U00010ec7\U00011db0-\U00011ddb"
    "\U00011de0-\U00011de9\U00016ea0-\U00016eb8\U00016ebb-\U00016ed3\U00016ff2-\U00016ff6\U000187f8-\U000187ff"
    "\U00018d09-\U00018d1e\U00018d80-\U00018df2\U0001e6c0-\U0001e6de\U0001e6e0-\U0001e6e2\U0001e6e4\U0001e6e5"
    "\U0001e6e7-\U0001e6ed\U0001e6f0-\U0001e6f4\U0001e6fe\U0001e6ff\U0002b73a-\U0002b73f\U0002cea2-\U0002cead"
    "\U000323b0-\U00033479]"
)
HAS_NEW_LETTERS = re.compile(NEW_LETTERS)
# Bytes for a fast search of texts that may contain them: the common prefix of the others, and the first eight in full.
SIGNS = (b"\xf0", *(letter.encode() for letter in "\u088f\u0c5c\u0cdc\ua7ce\ua7cf\ua7d2\ua7d4\ua7f1"))
REMEMBERED = 32_000_000  # characters: at most some 400 MB, where no word comes twice
TEXTS_AT_ONCE = 2_000


class Tokenizer(ABC):
    """Tokenise with cl100k_base."""

    @abstractmethod
    def encode(self, text: str) -> Tokens:
        """Return the token numbers of a text without lone surrogates."""

    @abstractmethod
    def encode_longer(self, texts: pl.Series, limit: int) -> tuple[I32, dict[int, Tokens]]:
        """Return the number of tokens of each text (not null), and by place the tokens of texts of more than `limit`.

        Returns:
            Shape (texts,), and token numbers.
        """

    def count(self, texts: pl.Series) -> I32:
        """Return the number of tokens of each text (not null), shape (texts,)."""
        return self.encode_longer(texts, sys.maxsize)[0]


class Tiktoken(Tokenizer):
    """Tokenise by tiktoken."""

    def encode(self, text: str) -> Tokens:
        return encode(load_encoding(), text)

    def encode_longer(self, texts: pl.Series, limit: int) -> tuple[I32, dict[int, Tokens]]:
        counts, longer = np.zeros(len(texts), np.int32), dict[int, Tokens]()
        for place, text in enumerate(texts):
            tokens = self.encode(text)
            counts[place] = len(tokens)
            if len(tokens) > limit:
                longer[place] = tokens
        return counts, longer


class Gigatoken(Tokenizer):
    """Tokenise by gigatoken: the same tokens as tiktoken, several times faster.

    gigatoken caches every word, therefore it is reloaded after each REMEMBERED characters.
    """

    def __init__(self) -> None:
        self._load()

    def _load(self) -> None:
        self._words = gigatoken.Tokenizer.from_tiktoken(find_vocabulary(), pretokenizer="cl100k", special_tokens={})
        self._left = REMEMBERED

    def _words_for(self, chars: int) -> gigatoken.Tokenizer:
        if self._left < 0:
            self._load()
        self._left -= chars
        return self._words

    def encode(self, text: str) -> Tokens:
        data = text.encode()
        if not text.isascii() and any(sign in data for sign in SIGNS) and HAS_NEW_LETTERS.search(text):
            return encode(load_encoding(), text)
        return self._words_for(len(text)).encode(data)

    def encode_longer(self, texts: pl.Series, limit: int) -> tuple[I32, dict[int, Tokens]]:
        import awkward  # imported here as it takes half a second

        counts, longer = np.zeros(len(texts), np.int32), dict[int, Tokens]()
        for first in range(0, len(texts), TEXTS_AT_ONCE):
            some = texts[first : first + TEXTS_AT_ONCE].to_list()
            encoded = self._words_for(sum(map(len, some))).encode_batch(some, parallel=False)
            tokens, sizes = awkward.flatten(encoded).to_numpy(), awkward.num(encoded).to_numpy()
            counts[first : first + len(some)], ends = sizes, sizes.cumsum()
            for place in np.flatnonzero(sizes > limit).tolist():
                longer[first + place] = tokens[ends[place] - sizes[place] : ends[place]]
        for place in texts.str.contains(NEW_LETTERS).arg_true():
            longer.pop(place, None)
            tokens = encode(load_encoding(), texts[place])
            counts[place] = len(tokens)
            if len(tokens) > limit:
                longer[place] = tokens
        return counts, longer


@cache
def load_tokenizer(backend: str = "kernels") -> Tokenizer:
    """Return the tokeniser of this process for a run's `backend`.

    Raises:
        InputError: as `load_encoding`.
    """
    tokenizers: dict[str, type[Tokenizer]] = {"kernels": Gigatoken, "packages": Tiktoken}
    return tokenizers[backend]()


@cache
def load_encoding() -> tiktoken.Encoding:
    """Return tiktoken's cl100k_base from the verified vocabulary file, without network.

    Raises:
        InputError: the vocabulary is missing or not the published vocabulary.
    """
    lines = (line.split() for line in find_vocabulary().read_bytes().splitlines())
    ranks = {b64decode(token): int(rank) for token, rank in lines}
    return tiktoken.Encoding(NAME, pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})


def encode(encoding: tiktoken.Encoding, text: str) -> Tokens:
    """Return the token numbers of a text, as `encode_ordinary` does.

    Raises:
        InputError: the text has a run of several hundred thousand white-space characters, which exceeds the limits of
            the tokeniser's pattern; normalised text has no such run.
    """
    try:
        tokens: Tokens = encoding.encode_to_numpy(text, allowed_special=set(), disallowed_special=())
    except UnicodeEncodeError:
        return encode(encoding, text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    except ValueError as problem:
        raise InputError(
            f"A text of {len(text):,} characters cannot be tokenised: {problem}.\n"
            "It holds a very long run of white space; normalise it first."
        ) from problem
    return tokens


@cache
def token_characters() -> tuple[U8, U8]:
    """Return the number of characters that begin in each token, and how many of these after its first byte.

    By token number, both of shape (tokens,). A token may begin and end inside a character.
    """
    tokens = pl.read_csv(
        find_vocabulary(), separator=" ", has_header=False, new_columns=["base64", "rank"], quote_char=None
    ).sort("rank")
    data = tokens["base64"].str.decode("base64").to_arrow()
    _, offsets, content = data.buffers()
    bounds = np.frombuffer(offsets, np.int64)[: len(data)]
    begins = (np.frombuffer(content, np.uint8) & 0xC0) != 0x80
    begun = np.add.reduceat(begins, bounds, dtype=np.uint8)
    return begun, begun - begins[bounds]
