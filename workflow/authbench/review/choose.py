"""Which texts does a person look at?"""

import polars as pl

from authbench.identity import keyed_hashes

CELL = ("lang", "primary", "length_bucket")


def choose_texts(documents: pl.DataFrame, per_cell: int, seed: int) -> pl.DataFrame:
    """The documents (at least `doc_key, lang, genre, length_bucket`) with the smallest hashes of each cell of language
    x primary genre x length, at most `per_cell` of each, with `primary`; by cell, then by hash.

    What is chosen depends on seed and keys alone, and of a text that stays, on those before it in its cell.
    """
    return (
        documents.with_columns(
            primary=pl.col("genre").str.split("/").list.first(), rank=keyed_hashes(seed, "review", documents["doc_key"])
        )
        .sort(*CELL, "rank", "doc_key")
        .group_by(CELL, maintain_order=True)
        .head(per_cell)
        .drop("rank")
    )
