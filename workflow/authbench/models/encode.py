"""What does a model of the registry make of the queries and the candidates of a split?"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import polars as pl

from authbench.errors import InputError
from authbench.evaluate.retrieval import Scorer
from authbench.evaluate.split import Split
from authbench.models import encoder
from authbench.models.registry import Model

MOST_TOKENS = 1 << 20  # of a pool, each a vector of 16-bit numbers
TOKENS_AT_ONCE = 1 << 15  # of the pool, compared with a query


def late_scorer(model: Model, split: Split) -> Scorer:
    """The mean over a query's tokens of their best cosine with a candidate's (Khattab and Zaharia 2020, ColBERT)."""
    from authbench.models.transformer import embed_tokens

    texts, prompts = split.documents["content"], [model.parameters[f"{side}_prompt"] for side in ("query", "document")]
    asking = embed_tokens(texts.gather(split.asks).to_list(), model.parameters, prompts[0], MOST_TOKENS)
    pool = embed_tokens(texts[: split.candidates].to_list(), model.parameters, prompts[1], MOST_TOKENS)
    groups = token_groups([len(tokens) for tokens in pool])

    def score(first: int, last: int) -> np.ndarray:
        found = np.zeros((last - first, split.candidates), np.float32)
        for low, high in groups:
            tokens = np.concatenate(pool[low:high]).astype(np.float32).T
            starts = np.cumsum([0, *map(len, pool[low : high - 1])])
            for row, query in enumerate(asking[first:last]):
                best = np.maximum.reduceat(query.astype(np.float32) @ tokens, starts, axis=1)
                found[row, low:high] = best.mean(axis=0)
        return found

    return score


def token_groups(lengths: Sequence[int]) -> list[tuple[int, int]]:
    """Consecutive texts [low, high) of at most TOKENS_AT_ONCE tokens, or a single longer one."""
    groups, low, held = [], 0, 0
    for text, length in enumerate(lengths):
        if held and held + length > TOKENS_AT_ONCE:
            groups.append((low, text))
            low, held = text, 0
        held += length
    return [*groups, (low, len(lengths))]


def encode(model: Model, split: Split, cache: Path, half: bool = False) -> tuple[Any, Any]:
    """L2-normalised rows of the queries and of the candidates: float32 arrays, or CSR matrices.

    Vectors of transformers are kept under `cache`. Raises InputError where a vector is not made of numbers.
    """
    if model.kind == "transformer":
        prompts = [model.parameters[f"{side}_prompt"] for side in ("query", "document")]
        texts = split.documents["content"]
        if prompts[0] == prompts[1]:
            rows = transformed(model, texts, prompts[0], cache, half)
            return rows[split.asks], rows[: split.candidates]
        queries = transformed(model, texts.gather(split.asks), prompts[0], cache, half)
        return queries, transformed(model, texts[: split.candidates], prompts[1], cache, half)
    rows = expect_numbers(encoder(model.kind)(split.documents, split.candidates, model.parameters), split, model.name)
    return rows[split.asks], rows[: split.candidates]


def transformed(model: Model, texts: pl.Series, prompt: str, cache: Path, half: bool) -> np.ndarray:
    """L2-normalised rows of texts, kept under `cache` for the next time."""
    from authbench.models.cache import embed_new
    from authbench.models.transformer import embed, identity

    decides = identity(model.parameters, prompt) | {"half": half}
    mark = hashlib.sha256(orjson.dumps(decides, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]
    folder = cache / f"{model.name}-{mark}"
    rows = embed_new(texts.to_list(), folder, decides, lambda part: embed(part, model.parameters, prompt), half)
    return unit(rows)


def unit(rows: np.ndarray) -> np.ndarray:
    """The rows, each of length 1; a row of zeros stays."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: np.ndarray = rows / np.maximum(lengths, np.finfo(np.float32).tiny)
    return scaled


def expect_numbers(rows: Any, split: Split, name: str) -> Any:
    if isinstance(rows, np.ndarray):
        broken = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    else:
        broken = np.unique(rows.nonzero()[0][~np.isfinite(rows.data)])
    if len(broken):
        ids = split.documents["id"].gather(broken[:5]).to_list()
        raise InputError(
            f"{name}: the vectors of {len(broken)} of {split.documents.height} texts are not numbers "
            f"({', '.join(ids)}). Such a model cannot be scored; nothing was written."
        )
    return rows
