"""Embed the texts of a dataset with a model, and measure the speed.

Style tasks do not distinguish queries and candidates: all texts get the document prompt, and models that learn counts
learn them from all texts of the dataset.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from authbench.core.identity import digest
from authbench.core.storage.json_files import read_json, write_json
from authbench.models.model import Model, Rows
from authbench.models.parameters import LongTexts

LONG_TEXTS: tuple[LongTexts, ...] = ("chunk_and_pool", "truncate")


@dataclass(frozen=True)
class Vectors:
    """A row per distinct text, and the index of each text."""

    rows: Rows
    places: Mapping[str, int]

    def of(self, texts: Sequence[str]) -> Rows:
        return self.rows[np.array([self.places[text] for text in texts], np.int64)]


def vectors_of(model: Model, documents: pl.DataFrame, dataset: str, as_given: bool = False) -> Vectors:
    """Return the vectors of the distinct texts (`content`, `lang`, `token_length`) of a dataset.

    Args:
        as_given: keep the model's vector lengths, if it provides them.
    """
    content = documents["content"].to_list()
    described = documents.with_columns(
        id=pl.Series([digest(text) for text in content], dtype=pl.String), source=pl.lit(dataset), genre=pl.lit("style")
    )
    rows = getattr(model, "embed_as_given", model.embed)(described) if as_given else model.embed(described)
    return Vectors(rows, {text: row for row, text in enumerate(content)})


def texts_per_second(path: Path, texts: int, seconds: float) -> float | None:
    """Return a model's speed over these and earlier texts; None before the first text.

    Args:
        path: stores the sums, for runs that find every vector in the cache.
    """
    sums = read_json(path) if path.is_file() else {"texts": 0, "seconds": 0.0}
    if texts:
        sums = {"texts": sums["texts"] + texts, "seconds": sums["seconds"] + seconds}
        write_json(path, sums)
    return sums["texts"] / sums["seconds"] if sums["seconds"] else None
