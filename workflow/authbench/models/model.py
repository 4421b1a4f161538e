"""Define what every model can do: embed texts, compare queries with candidates, state its identity and cost.

`authbench.models.open` opens the model of an entry.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
import polars as pl

from authbench.core.arrays import I32
from authbench.core.errors import InputError
from authbench.models.entries import ModelEntry

# A row per text: an array, or a CSR matrix where most columns are zero. Models return float32, L2-normalised.
Rows: TypeAlias = Any
# Batches of texts, with `lang` and `content`, in which models count frequencies; may be read more than once.
Reference: TypeAlias = Iterable[pl.DataFrame]
# Scores of the queries at [first, last) with all candidates; valid until the next call.
Scorer: TypeAlias = Callable[[int, int], np.ndarray]
CPU = "cpu"


@dataclass(frozen=True)
class VectorCache:
    """The folder where vectors are cached, and whether in 16 bits."""

    folder: Path
    half: bool = False


@dataclass(frozen=True)
class Vectors:
    """Vectors of queries and of candidates, compared by their dot product on a device of torch."""

    queries: Rows
    candidates: Rows
    device: str = CPU


class Model(Protocol):
    """An opened model; without a `compare` of its own, it compares its vectors, and it has no parameters.

    Attributes:
        entry: its config entry.
        embedded: texts embedded so far, not counting those found in the cache.
    """

    entry: ModelEntry
    embedded: int

    def identity(self) -> Mapping[str, object]:
        """Return all that decides the vector of a text, apart from the text, the reference texts and our code."""

    def embed(self, documents: pl.DataFrame, reference: Reference | None = None) -> Rows:
        """Return the vectors of documents, in the same order.

        Args:
            documents: `id`, `content`, `lang`, `genre`, `source`, `token_length`.
            reference: likewise, the texts that all counts are fitted on; the documents themselves if None.
        """

    def compare(
        self, documents: pl.DataFrame, candidates: int, queries: I32, reference: Reference | None = None
    ) -> Vectors | Scorer:
        """Return the vectors of queries and candidates, or a scorer if the model compares tokens.

        Args:
            documents: as for `embed`; the first `candidates` are the candidates.
            candidates: their number.
            queries: shape (queries,), rows of documents.
            reference: the texts that define frequent words and content words; the candidates if None. Other counts, and
                the spread of features, are fitted on the candidates.
        """
        rows = self.embed(documents)
        return Vectors(rows[queries], rows[:candidates])

    def parameter_count(self) -> int | None:
        """Return the parameters that each token passes through, without embeddings; None if unknown or without any."""
        return None


def flops_per_text(model: Model, tokens: float) -> float | None:
    """Return two operations per parameter and token (Kaplan et al. 2020), for texts of this mean length."""
    parameters = model.parameter_count()
    return None if parameters is None else 2.0 * parameters * tokens


def unit(rows: np.ndarray) -> np.ndarray:
    """Return the rows, shape (n, dimensions), scaled to length 1; rows of zeros are unchanged.

    Where squares may exceed the range of floats, rows are first divided by a power of 2, which is exact.
    """
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: np.ndarray = rows / np.maximum(lengths, np.finfo(np.float32).tiny)
    odd = np.flatnonzero((lengths < 1e-12) | np.isinf(lengths))
    if len(odd):
        near = np.ldexp(rows[odd], -np.frexp(np.abs(rows[odd]).max(axis=1, keepdims=True, initial=0))[1])
        scaled[odd] = near / np.maximum(np.linalg.norm(near, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    return scaled


def expect_finite(rows: Rows, ids: pl.Series, name: str) -> None:
    """Raise InputError, naming documents, if a vector of a model has a value that is not a number."""
    if isinstance(rows, np.ndarray):
        broken = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    else:
        broken = np.unique(np.searchsorted(rows.indptr, np.flatnonzero(~np.isfinite(rows.data)), "right") - 1)
    if len(broken):
        raise InputError(
            f"{name}: the vectors of {len(broken)} of {len(ids)} texts are not numbers "
            f"({', '.join(ids.gather(broken[:5]).to_list())}). Such a model cannot be scored; nothing was written."
        )
