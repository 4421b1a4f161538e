"""Models of counted features: every kind except transformers."""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl
import regex
from numpy.typing import NDArray

from authbench.core.arrays import F32, I32, Sparse
from authbench.core.function_words import LISTS
from authbench.core.identity import keyed_hash
from authbench.models import shortcuts
from authbench.models.character_ngrams import count_ngrams
from authbench.models.entries import ModelEntry, expect_vectors
from authbench.models.function_words import function_word_vectors, standardised
from authbench.models.lexical import centred_ngrams, ngram_vectors, tfidf, with_rows_of_length_1
from authbench.models.model import Model, Reference, Rows, Scorer, Vectors, expect_finite
from authbench.models.parameters import EdgesParameters, RandomParameters
from authbench.models.stylometric import format_vectors, stylometric_vectors

_MARK = regex.compile(r"\p{P}")


def punctuation_vectors(documents: pl.DataFrame, candidates: int, *_: object) -> F32:
    """Return standardised square roots of the marks' shares of characters, shape (documents, marks in use)."""
    counted = [Counter(_MARK.findall(text)) for text in documents["content"]]
    column = {mark: place for place, mark in enumerate(sorted(set().union(*counted)))}
    table = np.zeros((len(counted), max(1, len(column))))
    for row, (marks, text) in enumerate(zip(counted, documents["content"], strict=True)):
        for mark, count in marks.items():
            table[row, column[mark]] = np.sqrt(count / len(text))
    return standardised(table, documents["lang"], candidates)


def edge_vectors(documents: pl.DataFrame, candidates: int, parameters: EdgesParameters, *_: object) -> Sparse:
    """Return TF-IDF of the n-grams of both ends (greetings, sign-offs), concatenated, shape (documents, n-grams)."""
    from scipy.sparse import hstack

    size, texts = parameters.characters, documents["content"].to_list()
    parts = []
    for ends in ([text[:size] for text in texts], [text[-size:] for text in texts]):
        counts = count_ngrams(ends, candidates, "char", parameters.n, lower_case=False)
        parts.append(tfidf(counts, candidates, len(ends), sublinear=True))
    return with_rows_of_length_1(hstack(parts, "csr", dtype=np.float32))


def random_vectors(documents: pl.DataFrame, candidates: int, parameters: RandomParameters, *_: object) -> np.ndarray:
    """Return a random direction per document, drawn by a hash of its id, shape (documents, dimensions).

    It scores as a model without any knowledge does.
    """
    size, seed = parameters.dimensions, parameters.seed
    vectors = np.empty((documents.height, size), np.float32)
    for row, ident in enumerate(documents["id"]):
        vectors[row] = np.random.Generator(np.random.Philox(keyed_hash(seed, "random model", ident))).standard_normal(
            size
        )
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def _part(rows: Rows, places: NDArray[np.integer]) -> Rows:
    """Return some rows; adjacent rows of a CSR matrix are not copied."""
    from scipy.sparse import csr_matrix, issparse

    if not issparse(rows) or not len(places) or (np.diff(places) != 1).any():
        return rows[places]
    starts = rows.indptr[places[0] : places[-1] + 2]
    entries = slice(starts[0], starts[-1])
    return csr_matrix((rows.data[entries], rows.indices[entries], starts - starts[0]), (len(places), rows.shape[1]))


# documents, how many of the first are learnt from, parameters of the kind, the texts that define which words are
# frequent -> vectors of all documents
ENCODERS: Mapping[str, Callable[[pl.DataFrame, int, Any, Reference], Rows]] = {
    "random": random_vectors,
    "metadata": shortcuts.metadata_vectors,
    "ids": shortcuts.id_vectors,
    "format": format_vectors,
    "edges": edge_vectors,
    "punctuation": punctuation_vectors,
    "function_words": function_word_vectors,
    "stylometric": stylometric_vectors,
    "content_words": shortcuts.content_word_vectors,
    "topic_model": shortcuts.topic_model_vectors,
    "content_characters": shortcuts.content_character_vectors,
    "ngrams": ngram_vectors,
}
# documents, how many of the first are candidates, rows of the queries -> scores, for kinds without a vector per text
SCORERS: Mapping[str, Callable[[pl.DataFrame, int, I32, Any, Reference], Vectors | Scorer]] = {
    "date": shortcuts.date_scorer,
    "centred_ngrams": centred_ngrams,
}
COLUMNS = ("id", "lang", "genre", "source", "content", "token_length")


class FeatureModel(Model):
    """A model computed from documents and from the texts that its counts are fitted on; of SCORERS, without vectors."""

    def __init__(self, entry: ModelEntry) -> None:
        self.entry = entry
        self.embedded = 0

    def identity(self) -> Mapping[str, object]:
        return {
            "kind": self.entry.kind,
            "parameters": self.entry.parameters.as_dict(),
            "words": hashlib.sha256(LISTS.read_bytes()).hexdigest()[:16],
        }

    def embed(self, documents: pl.DataFrame, reference: Reference | None = None) -> Rows:
        expect_vectors(self.entry)
        if reference is None:
            return self._rows(documents, documents.height, [documents])
        learnt = pl.concat([frame.select(COLUMNS) for frame in reference])
        return self._rows(pl.concat([learnt, documents.select(COLUMNS)]), learnt.height, [learnt])[learnt.height :]

    def compare(
        self, documents: pl.DataFrame, candidates: int, queries: I32, reference: Reference | None = None
    ) -> Vectors | Scorer:
        """Compare as `Model.compare`; `queries` are rows of documents, shape (queries,)."""
        reference = [documents[:candidates]] if reference is None else reference
        if self.entry.kind in SCORERS:
            return SCORERS[self.entry.kind](documents, candidates, queries, self.entry.parameters, reference)
        rows = self._rows(documents, candidates, reference)
        expect_finite(rows, documents["id"], self.entry.name)
        return Vectors(_part(rows, queries), _part(rows, np.arange(candidates)))

    def _rows(self, documents: pl.DataFrame, learnt: int, reference: Reference) -> Rows:
        self.embedded += documents.height
        return ENCODERS[self.entry.kind](documents, learnt, self.entry.parameters, reference)
