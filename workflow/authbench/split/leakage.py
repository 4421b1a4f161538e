"""Which texts give each other away across splits?"""

from collections.abc import Mapping
from typing import Any

import polars as pl

from authbench.dedup.containment import ContainmentSettings, contained_pairs
from authbench.dedup.duplicates import similar_pairs
from authbench.dedup.similarity import similarity_text


def find_leaks(documents: pl.DataFrame, settings: Mapping[str, Any]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Near copies (a, b, similarity) and long texts of different works that contain each other (a, b, share).

    `settings` is the section `split`; pairs are of doc_keys, sorted.
    """
    keys = documents["doc_key"].to_list()
    similar = similar_pairs(keys, similarity_text(documents).to_list(), settings["leak_threshold"])
    contained = contained_pairs(
        documents.select("doc_key", "origin_id", "content"), ContainmentSettings(**settings["containment"])
    )
    return similar, contained
