"""Find texts that reveal each other across splits."""

from typing import NamedTuple

import polars as pl

from authbench.dedup.containment import COMMON, contained_pairs
from authbench.dedup.similar_pairs import similar_pairs
from authbench.dedup.similarity import similarity_text
from authbench.normalize.fold import fold
from authbench.settings.split import Containment

TEXTS_AT_ONCE = 500
FOLDED_CHARS = 40  # shorter texts, such as `Good.` and `good.`, may be written by two people


class Leaks(NamedTuple):
    """Hold similar texts (a, b, similarity), and long texts of different works that contain each other (a, b, share).

    Pairs are of doc_keys, sorted; `common` texts have passages too common for the search (`contained_pairs`).
    """

    similar: pl.DataFrame
    contained: pl.DataFrame
    common: int


def find_leaks(
    documents: pl.DataFrame,
    leak: float,
    near: float,
    shingle_chars: int,
    containment: Containment,
    most: int = COMMON,
) -> Leaks:
    """Return the leaks among `documents` (doc_key, origin_id, lang, content).

    Similar texts reach `leak` or `near`, whichever is lower: the search at the lower threshold finds more of the pairs
    at the higher. Texts are also similar if their folded forms are much more alike than `near`; their similarity is
    then of these forms. Passages in more than `most` texts are not used for the search.
    """
    texts = documents.select("doc_key", "origin_id", content=_stripped(documents))
    similar = similar_pairs(texts["doc_key"], texts["content"], min(leak, near), shingle_chars, near)
    alike = pl.concat([similar, _disguised_copies(texts, near, shingle_chars)])
    similar = alike.group_by("a", "b").agg(pl.col("similarity").max()).sort("a", "b")
    return Leaks(similar, *contained_pairs(texts, containment, most))


def _disguised_copies(texts: pl.DataFrame, near: float, shingle_chars: int) -> pl.DataFrame:
    """Return pairs (a, b, similarity) of texts whose folded forms are half as far from equality as near copies are."""
    long = texts.filter(pl.col("content").str.len_chars() >= FOLDED_CHARS)
    folded = long.select("doc_key", content=fold(long["content"]))
    threshold = (1 + near) / 2
    return similar_pairs(folded["doc_key"], folded["content"], threshold, shingle_chars, threshold)


def _stripped(documents: pl.DataFrame) -> pl.Series:
    """Return the texts to compare; for parts without boilerplate, the uncopied contents."""
    parts = []
    for start in range(0, max(documents.height, 1), TEXTS_AT_ONCE):
        part = documents[start : start + TEXTS_AT_ONCE]
        text, content = similarity_text(part), part["content"]
        parts.append(content if content.equals(text) else text)
    return pl.concat(parts)
