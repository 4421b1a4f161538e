"""Choose the texts that people review."""

import polars as pl

from authbench.identity import keyed_hashes

CELL = ("lang", "primary", "length_bucket")


def choose_texts(documents: pl.DataFrame, per_cell: int, seed: int) -> pl.DataFrame:
    """Return at most `per_cell` documents of each cell of language x primary genre x length class.

    The documents with the smallest keyed hashes are chosen, hence the choice depends only on seed and document keys.
    Whether a kept text is chosen depends on the texts before it in its cell.

    Args:
        documents: with at least the columns `doc_key`, `lang`, `genre`, `length_bucket`.

    Returns:
        The chosen rows with the column `primary`, by cell, then by hash.
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
