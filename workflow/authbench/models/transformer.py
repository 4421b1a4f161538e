"""Compute vectors of texts with a transformer, and compare token vectors.

Texts that are longer than a model reads are split. Consecutive whole sentences are packed while they fit; a sentence
that exceeds the limit is cut at it. The text's vector is the plain mean of its parts' vectors (STEB paper, appendix F).

The score by late interaction is the mean over a query's tokens, or its parts, of their best cosine with a candidate's
(ColBERT, Khattab and Zaharia 2020). Cosines and their mean are summed in float64 and then rounded, so scores do
not depend on the number of threads of the linear algebra.
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from authbench.build.chunk.sentences import sentence_starts
from authbench.core.arrays import F32, I32, Tensor
from authbench.core.errors import InputError
from authbench.core.json_values import JsonObject
from authbench.models.cache import embed_new
from authbench.models.checkpoint import (
    Checkpoint,
    Tokenizer,
    checkpoint_path,
    device,
    fresh_checkpoint,
    in_batches,
    load_checkpoint,
    padded,
    parameter_count,
)
from authbench.models.entries import ModelEntry
from authbench.models.folder import ASSUMED_TOKENS
from authbench.models.model import Reference, Rows, Scorer, VectorCache, Vectors, unit
from authbench.models.parameters import OWN_LENGTH, TransformerParameters
from authbench.models.provenance import decided_by

F16: TypeAlias = NDArray[np.float16]
MOST_TOKENS = 1 << 20  # of the candidates, each a vector of 16-bit numbers
TOKENS_AT_ONCE = 1 << 14  # of the candidates, compared with a query


def late_scorer(queries: Sequence[F16], candidates: Sequence[F16]) -> Scorer:
    """Return a scorer of queries with all candidates.

    Args:
        queries: the L2-normalised vectors of each query's tokens, shape (tokens, dimensions).
        candidates: likewise.
    """
    groups = _token_groups([len(tokens) for tokens in candidates])

    def score(first: int, last: int) -> np.ndarray:
        scores = np.zeros((last - first, len(candidates)), np.float32)
        for low, high in groups:
            tokens = np.concatenate(candidates[low:high]).astype(np.float64).T
            starts = np.cumsum([0, *map(len, candidates[low : high - 1])])
            for row, query in enumerate(queries[first:last]):
                best = np.maximum.reduceat(query.astype(np.float64) @ tokens, starts, axis=1)
                scores[row, low:high] = best.mean(axis=0)
        return scores

    return score


def _token_groups(lengths: Sequence[int]) -> list[tuple[int, int]]:
    """Return consecutive texts [low, high) of at most TOKENS_AT_ONCE tokens, or a single longer text."""
    groups, low, tokens = [], 0, 0
    for text, length in enumerate(lengths):
        if tokens and tokens + length > TOKENS_AT_ONCE:
            groups.append((low, text))
            low, tokens = text, 0
        tokens += length
    return [*groups, (low, len(lengths))]


# Sentence, its first token and one past its last: what one part takes of it.
Piece = tuple[int, int, int]


def pack(sentence_tokens: Sequence[int], limit: int) -> list[list[Piece]]:
    """Return the parts of a text whose sentences have that many tokens, each part of at most `limit` tokens.

    >>> pack([4, 4, 4], 10)
    [[(0, 0, 4), (1, 0, 4)], [(2, 0, 4)]]
    """
    parts: list[list[Piece]] = []
    room = 0
    for sentence, tokens in enumerate(sentence_tokens):
        if tokens > limit:
            parts += [[(sentence, first, min(first + limit, tokens))] for first in range(0, tokens, limit)]
            room = 0
        elif tokens:
            if tokens > room:
                parts.append([])
                room = limit
            parts[-1].append((sentence, 0, tokens))
            room -= tokens
    return parts


NO_NAME = re.compile(r"[^\w.-]+")  # characters of a checkpoint's name that a folder's name leaves out
_POSITIONS = ("max_position_embeddings", "max_seq_len", "n_positions")  # keys of a config for the longest text
_NO_LIMIT = 1_000_000  # tokenizers without a limit state at least this
DECIDING = ("pooling", "max_tokens", "long_texts", "dtype", "remote_code")


class TransformerModel:
    """A transformer; with a cache, vectors of texts are cached in a folder for each identity and prompt."""

    def __init__(self, entry: ModelEntry, cache: VectorCache | None = None) -> None:
        assert isinstance(entry.parameters, TransformerParameters)
        self.entry = entry
        self.parameters = entry.parameters
        self.cache = cache
        self.embedded = 0

    def identity(self) -> JsonObject:
        return self._identity(self.parameters.document_prompt)

    def embed(self, documents: pl.DataFrame, reference: Reference | None = None) -> Rows:
        return self._rows(documents["content"], self.parameters.document_prompt)

    def compare(
        self, documents: pl.DataFrame, candidates: int, queries: I32, reference: Reference | None = None
    ) -> Vectors | Scorer:
        """Compare as `Model.compare`; `queries` are rows of documents, shape (queries,)."""
        texts = documents["content"]
        query_prompt, document_prompt = self.parameters.query_prompt, self.parameters.document_prompt
        if self.parameters.late:
            return late_scorer(
                self._tokens(texts.gather(queries), query_prompt), self._tokens(texts[:candidates], document_prompt)
            )
        if query_prompt == document_prompt:
            rows = self._rows(texts, query_prompt)
            return Vectors(rows[queries], rows[:candidates], device())
        asking = self._rows(texts.gather(queries), query_prompt)
        return Vectors(asking, self._rows(texts[:candidates], document_prompt), device())

    def parameter_count(self) -> int | None:
        return parameter_count(self.parameters)

    def fresh_checkpoint(self) -> Checkpoint:
        """Return a new copy of the checkpoint for a training, which changes its weights."""
        checkpoint = fresh_checkpoint(self.parameters)
        checkpoint.max_seq_length = most_tokens(checkpoint, self.parameters)
        return checkpoint

    def embed_with(self, checkpoint: object, texts: Sequence[str], prompt: str) -> F32:
        """Return the vectors of texts by a checkpoint in training, without caching.

        Returns:
            Shape (texts, dimensions), rows of length 1.
        """
        return unit(embed(checkpoint, texts, self.parameters, prompt))

    def embed_as_given(self, documents: pl.DataFrame) -> Rows:
        """Embed documents without scaling the checkpoint's vectors to length 1."""
        return self._given(documents["content"], self.parameters.document_prompt)

    def _rows(self, texts: pl.Series, prompt: str) -> F32:
        return unit(self._given(texts, prompt))

    def _given(self, texts: pl.Series, prompt: str) -> F32:
        if self.cache is None:
            return self._embed(texts.to_list(), prompt)
        decides = self._identity(prompt)
        place = self.cache.folder / NO_NAME.sub("-", decides["checkpoint"])
        return embed_new(texts.to_list(), place, decides, lambda part: self._embed(part, prompt), self.cache.half)

    def _embed(self, texts: Sequence[str], prompt: str) -> F32:
        self.embedded += len(texts)
        return embed(load_checkpoint(self.parameters), texts, self.parameters, prompt)

    def _tokens(self, texts: pl.Series, prompt: str) -> list[F16]:
        checkpoint = load_checkpoint(self.parameters)
        return embed_tokens(checkpoint, texts.to_list(), self.parameters, prompt, MOST_TOKENS)

    def _identity(self, prompt: str) -> JsonObject:
        """Return the deciding settings, the prompt, and what the checkpoint is made by (`provenance`).

        The location of a folder does not count: a copy of it has the same vectors.
        """
        place = Path(checkpoint_path(self.parameters.checkpoint))
        half = self.cache is not None and self.cache.half
        return {
            "checkpoint": place.resolve().name if place.is_dir() else self.parameters.checkpoint,
            **{name: getattr(self.parameters, name) for name in DECIDING},
            "prompt": prompt,
            **({"prompted": "as one text"} if prompt else {}),
            "half": half,
            **decided_by(self.parameters),
        }


def embed(model: Checkpoint, texts: Sequence[str], parameters: TransformerParameters, prompt: str) -> F32:
    """Return a vector per text as the checkpoint gives it, shape (texts, dimensions).

    Texts are tokenised once and run in batches of similar length. The composition of a batch changes a value only by
    float rounding (under 1e-5 in float32).
    """
    parts, owners, prompted = _tokenised(model, texts, parameters, prompt)
    if parameters.pooling == "episode":
        found = model.embed(parts, owners, len(texts))
        return np.array([unit(one).mean(axis=0) if one.ndim > 1 else one for one in found], np.float32)
    vectors: F32 = np.empty((0, 0), np.float32)
    for rows, found in in_batches(partial(_forward, model, prompted=prompted), parts):
        if not len(vectors):
            vectors = np.empty((len(parts), found["sentence_embedding"].shape[1]), np.float32)
        pooled = found["sentence_embedding"].float()
        vectors[rows] = (pooled.sigmoid() if parameters.pooling == "labels" else pooled).cpu().numpy()
    return means(vectors, owners, len(texts))


def most_tokens(model: Checkpoint, parameters: TransformerParameters) -> int:
    """Return how many tokens of a text are read: as the entry says, or for OWN_LENGTH as the checkpoint states.

    The checkpoint's length is the lowest limit that its tokenizer (below a million) and its config state.
    """
    if parameters.max_tokens != OWN_LENGTH:
        return parameters.max_tokens
    config = getattr(model[0].auto_model, "config", None)
    stated = [getattr(config, name, None) for name in _POSITIONS]
    stated.append(getattr(model.tokenizer, "model_max_length", None))
    known = [int(one) for one in stated if isinstance(one, int | float) and 0 < one < _NO_LIMIT]
    return min(known, default=ASSUMED_TOKENS)


def embed_tokens(
    model: Checkpoint, texts: Sequence[str], parameters: TransformerParameters, prompt: str, most: int
) -> list[F16]:
    """Return for each text the L2-normalised vectors of its tokens, or of its parts for `pooling: episode`.

    Raises:
        InputError: the texts have more than `most` tokens, or the checkpoint's code gives no vector for a part.

    Returns:
        Each of shape (tokens, dimensions).
    """
    import torch

    parts, owners, prompted = _tokenised(model, texts, parameters, prompt)
    if parameters.pooling == "episode":
        episodes = model.embed(parts, owners, len(texts))
        if any(one.ndim == 1 for one in episodes):
            raise InputError(
                f"{parameters.checkpoint}: its code gives one vector for a whole text. Set interaction: vector."
            )
        return [unit(one).astype(np.float16) for one in episodes]
    tokens = sum(map(len, parts))
    if tokens > most:
        raise InputError(
            f"{tokens:,} tokens are too many for late interaction, which keeps a vector of each; at most {most:,}. "
            "Set interaction: vector, or a lower max_tokens, or evaluate a smaller split."
        )
    vectors_of: list[list[F16]] = [[] for _ in texts]
    for rows, found in in_batches(partial(_forward, model, prompted=prompted), parts):
        scaled = torch.nn.functional.normalize(found["token_embeddings"].float(), dim=-1).half().cpu().numpy()
        for row, vectors in zip(rows, scaled, strict=True):
            vectors_of[owners[row]].append(vectors[: len(parts[row])])
    return [np.concatenate(vectors) for vectors in vectors_of]


def means(vectors: F32, owners: Sequence[int], texts: int) -> F32:
    """Return the plain mean of the rows of each owner, shape (texts, dimensions)."""
    sums = np.zeros((texts, vectors.shape[1]), np.float64)
    np.add.at(sums, owners, vectors)
    return (sums / np.bincount(owners, minlength=texts)[:, None]).astype(np.float32)


def _forward(model: Checkpoint, batch: Sequence[Sequence[int]], prompted: int) -> Mapping[str, Tensor]:
    """Return a model's output; some models exclude the first `prompted` tokens of each part from their mean."""
    given = padded(batch, model, model.tokenizer)
    if prompted:
        given["prompt_length"] = prompted
    found: Mapping[str, Tensor] = model(given)
    return found


def _tokenised(
    model: Checkpoint, texts: Sequence[str], parameters: TransformerParameters, prompt: str
) -> tuple[list[list[int]], list[int], int]:
    """Return the token ids of every part of every text, with special tokens and prompt, and the text of each part.

    The third value is how many tokens the prompt has with the special tokens before it; 0 without a prompt.

    The prompt and the text after it are tokenised as a single text, as sentence-transformers do. If a text is too long,
    each of its parts gets the tokens of the prompt instead.
    """
    tokenizer = model.tokenizer
    before, after = _around(tokenizer)
    leading = tokenizer(prompt, add_special_tokens=False)["input_ids"] if prompt else []
    most = most_tokens(model, parameters)
    limit = most - len(before) - len(after) - len(leading)
    if limit < 1:
        raise InputError(f"max_tokens: {most} leaves no room beside the prompt. Set more.")
    truncate, cut = parameters.long_texts == "truncate", 0
    parts, owners = [], []
    for owner, text in enumerate(texts):
        every: list[int] = tokenizer(prompt + text, add_special_tokens=False, verbose=False)["input_ids"]
        fits = len(every) <= limit + len(leading)
        cut += truncate and not fits
        if truncate or fits:
            found = [every[: limit + len(leading)]]
        else:
            found = [[*leading, *tokens] for tokens in _sentence_parts(tokenizer, text, limit)]
        parts += [[*before, *tokens, *after] for tokens in found]
        owners += [owner] * len(found)
    if cut:
        say_once(
            f"{cut:,} of {len(texts):,} texts are cut at {most} tokens (max_tokens); "
            "long_texts: chunk_and_pool reads all of them"
        )
    return parts, owners, len(before) + len(leading) if prompt else 0


@lru_cache
def say_once(message: str) -> None:
    """Print a message once: a training embeds the same texts at each of its scores."""
    print(message, file=sys.stderr, flush=True)


def _sentence_parts(tokenizer: Tokenizer, text: str, limit: int) -> Iterator[list[int]]:
    """Yield the tokens of a text in parts of complete sentences and at most `limit` tokens."""
    cuts = [0, *sentence_starts(text, 0, len(text)), len(text)]
    sentences = [text[start:end] for start, end in zip(cuts, cuts[1:], strict=False)]
    by_sentence: list[list[int]] = tokenizer(sentences, add_special_tokens=False, verbose=False)["input_ids"]
    for part in pack([len(sentence) for sentence in by_sentence], limit):
        yield [token for sentence, first, past in part for token in by_sentence[sentence][first:past]]


def _around(tokenizer: Tokenizer) -> tuple[list[int], list[int]]:
    """Return the special tokens that the tokenizer puts before and after a text."""
    bare = tokenizer("a", add_special_tokens=False)["input_ids"]
    every = tokenizer("a")["input_ids"]
    for start in range(len(every) - len(bare) + 1):
        if every[start : start + len(bare)] == bare:
            return every[:start], every[start + len(bare) :]
    return [], []
