"""Read the vectors of a model that ran elsewhere from a file.

A text is looked up by its id, or, if the file lacks the id, by the SHA-256 of the text (UTF-8, hex). This also serves
suites whose texts have no ids. Memory: the file's vectors.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from authbench.core.arrays import F32
from authbench.core.errors import InputError
from authbench.core.identity import sha256_of_text
from authbench.core.storage.atomic import sha256_of_file
from authbench.models.entries import ModelEntry
from authbench.models.model import Model, Reference, Rows, unit
from authbench.models.parameters import VectorsParameters
from authbench.models.vector_file import named, read_vectors

_ROUNDING = 1e-6  # a vector whose length is this close to 1 is unchanged


class GivenVectors(Model):
    """Vectors of a file. Raises InputError if it cannot be used, or lacks a requested text."""

    embedded = 0

    def __init__(self, entry: ModelEntry) -> None:
        assert isinstance(entry.parameters, VectorsParameters)
        self.path = Path(entry.parameters.file)
        ids, vectors = read_vectors(self.path)
        digest = sha256_of_file(self.path)
        self.entry = replace(entry, parameters=replace(entry.parameters, file_sha256=digest))
        self._vectors = _unit(vectors)
        self._place = {ident: place for place, ident in enumerate(ids)}

    @property
    def ids(self) -> list[str]:
        return list(self._place)

    def identity(self) -> Mapping[str, object]:
        assert isinstance(self.entry.parameters, VectorsParameters)
        return {"kind": "vectors", "vectors": self.entry.parameters.file_sha256}

    def embed(self, documents: pl.DataFrame, reference: Reference | None = None) -> Rows:
        """Return the vectors, shape (texts, dimensions), in the order of the documents.

        Raises:
            InputError: the file has no vector of a text.
        """
        place = self._place
        found = [
            place.get(ident, -1) if ident in place else place.get(sha256_of_text(text), -1)
            for ident, text in documents.select("id", "content").iter_rows()
        ]
        rows = np.array(found, np.int64)
        missing = documents["id"].filter(pl.Series(rows < 0, dtype=pl.Boolean)).to_list()
        if missing:
            raise InputError(
                f"{self.path}: has no vector of {named(missing)} of {documents.height}. Expected one for each text, "
                "by its id or the SHA-256 of the text."
            )
        return self._vectors[rows]


def _unit(vectors: F32) -> F32:
    """Return the vectors scaled to length 1; vectors that have this length up to rounding are unchanged."""
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm(vectors, axis=1)
    near: np.ndarray = (np.abs(lengths - 1) < _ROUNDING)[:, None]
    return np.where(near, vectors, unit(vectors))
