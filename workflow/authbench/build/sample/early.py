"""Draw, before their texts are processed, the authors that a build considers (`sample.early_authors`).

A streaming reservoir over the records of all sources, in which chance is a keyed hash of the author: the order of
records, files and shards has no effect. The code of the selection is elsewhere, so its changes redo no normalization.
"""

from collections.abc import Iterable

import polars as pl

from authbench.core.identity import keyed_hashes

RECORD_COLUMNS = ("source", "lang", "author_id")
DRAWN = pl.Schema({"author_id": pl.String})


def draw_authors(records: Iterable[pl.DataFrame], most: int, seed: int) -> pl.DataFrame:
    """Return the first `most` authors, by hash, of each source and language (DRAWN).

    An author drawn for one source or language keeps the texts of all; a record without an author draws none. Memory:
    `most` rows of 150 bytes for each source and language, and a batch of records.

    Args:
        records: batches with RECORD_COLUMNS.
        most: authors of a source and language.
        seed: of the hash.
    """
    drawn = pl.DataFrame(schema=dict.fromkeys(RECORD_COLUMNS, pl.String) | {"rank": pl.UInt64})
    for batch in records:
        authors = batch.select(RECORD_COLUMNS).drop_nulls("author_id").unique()
        ranks = keyed_hashes(seed, "early author", authors["author_id"]).alias("rank")
        together = pl.concat([drawn, authors.with_columns(ranks)]).unique()
        drawn = together.sort("rank", "author_id").group_by("source", "lang", maintain_order=True).head(most)
        drawn = drawn.select(*RECORD_COLUMNS, "rank")
    return drawn.select(pl.col("author_id").unique().sort())


def undrawn(records: pl.DataFrame, drawn: pl.DataFrame) -> pl.Series:
    """Return whether the author of each record is not among the drawn (DRAWN)."""
    return ~records["author_id"].is_in(drawn["author_id"].implode()).fill_null(value=True)
