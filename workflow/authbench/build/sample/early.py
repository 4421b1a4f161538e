"""Draw, before their texts are processed, the authors that a build considers (`sample.early_authors`).

A streaming reservoir over the records of all sources, in which chance is a keyed hash of the author: the order of
records, files and shards has no effect.
"""

from collections.abc import Iterable

import polars as pl

from authbench.core.identity import keyed_hashes

RECORD_COLUMNS = ("source", "lang", "author_id")
DRAWN = pl.Schema({"author_id": pl.String})
_RESERVOIR = pl.Schema({"source": pl.String, "lang": pl.String, "author_id": pl.String, "rank": pl.UInt64})


def draw_authors(records: Iterable[pl.DataFrame], most: int, seed: int) -> pl.DataFrame:
    """Return the first `most` authors, by hash, of each source and language (DRAWN).

    An author drawn for one source or language keeps the texts of all. Memory: `most` rows of 150 bytes for each source
    and language, and a batch of records.

    Args:
        records: batches with RECORD_COLUMNS.
        most: authors of a source and language.
        seed: of the hash.
    """
    reservoir = pl.DataFrame(schema=_RESERVOIR)
    for batch in records:
        authors = batch.select(RECORD_COLUMNS).unique()
        ranks = keyed_hashes(seed, "early author", authors["author_id"]).alias("rank")
        together = pl.concat([reservoir, authors.with_columns(ranks)]).unique()
        reservoir = together.sort("rank", "author_id").group_by("source", "lang", maintain_order=True).head(most)
    return reservoir.select(pl.col("author_id").unique().sort())
