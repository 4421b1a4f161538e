"""Which texts give each other away across splits?"""

import polars as pl

from authbench.dedup.containment import ContainmentSettings, contained_pairs
from authbench.dedup.duplicates import similar_pairs
from authbench.dedup.similarity import similarity_text


def find_leaks(
    documents: pl.DataFrame, leak: float, near: float, shingle_chars: int, containment: ContainmentSettings
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Similar texts (a, b, similarity) and long texts of different works that contain each other (a, b, share).

    `documents` has doc_key, origin_id, lang and content; pairs are of doc_keys, sorted. Similar are those at `leak`
    or at `near`, whichever is lower: the search for the lower one finds more of the pairs at the higher.
    """
    texts = documents.select("doc_key", "origin_id", content=similarity_text(documents))
    similar = similar_pairs(texts["doc_key"].to_list(), texts["content"].to_list(), min(leak, near), shingle_chars)
    return similar, contained_pairs(texts, containment)
