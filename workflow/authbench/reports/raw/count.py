"""Count raw documents by author, language, genre and length."""

from collections.abc import Iterable

import polars as pl

from authbench.config.settings.values import Backend
from authbench.core.tokens import load_tokenizer

TEXTS = pl.Schema(
    {"source": pl.String, "lang": pl.String, "genre": pl.String, "tokens": pl.Int64, "documents": pl.Int64}
)
AUTHORS = pl.Schema({"source": pl.String, "author_id": pl.String, "documents": pl.Int64})
COLUMNS = ("source", "lang", "genre", "author_id", "content")


def count_records(batches: Iterable[pl.DataFrame], backend: Backend = "kernels") -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the documents of RECORD frames by source, language, genre and tokens (TEXTS), and by author (AUTHORS).

    Tokens are counted by cl100k_base. Memory: a batch, and a row per distinct combination.
    """
    tokenizer = load_tokenizer(backend)
    texts, authors = pl.DataFrame(schema=TEXTS), pl.DataFrame(schema=AUTHORS)
    for batch in batches:
        counted = batch.with_columns(
            tokens=pl.Series(tokenizer.count(batch["content"]), dtype=pl.Int64), documents=pl.lit(1, pl.Int64)
        )
        texts = add_up([texts, counted.select(TEXTS.names())])
        authors = add_up([authors, counted.select(AUTHORS.names())])
    return texts, authors


def add_up(parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Return a row per distinct combination of all other columns, with `documents` added up; sorted."""
    together = pl.concat(parts)
    keys = [name for name in together.columns if name != "documents"]
    return together.group_by(keys).agg(pl.col("documents").sum()).sort(keys)
