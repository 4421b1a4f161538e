"""Find texts that give each other away across splits."""

from typing import NamedTuple

import polars as pl

from authbench.dedup.containment import COMMON, contained_pairs
from authbench.dedup.similar_pairs import similar_pairs
from authbench.dedup.similarity import similarity_text
from authbench.normalize.fold import fold
from authbench.settings.split import Containment

TEXTS_AT_ONCE = 500
FOLDED_CHARS = 40  # a shorter text, as `Good.` and `good.`, may be written by two people


class Leaks(NamedTuple):
    """Similar texts (a, b, similarity), and long texts of different works that contain each other (a, b, share).

    Pairs are of doc_keys, sorted; `common` texts have passages too common to search by (`contained_pairs`).
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

    Similar are those at `leak` or at `near`, whichever is lower: the search for the lower one finds more of the
    pairs at the higher. So are texts that are much more alike than `near` in their folded form; their similarity is
    then that of these forms. A passage that more than `most` texts have is not searched by.
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
    """Return the texts to compare; where none of a part has boilerplate, the contents themselves without a copy."""
    parts = []
    for start in range(0, max(documents.height, 1), TEXTS_AT_ONCE):
        part = documents[start : start + TEXTS_AT_ONCE]
        text, content = similarity_text(part), part["content"]
        parts.append(content if content.equals(text) else text)
    return pl.concat(parts)
