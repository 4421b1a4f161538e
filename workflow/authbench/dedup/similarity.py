"""What of a text is compared with other texts, and how is it fetched again?"""

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from authbench.normalize.boilerplate import strip
from authbench.records import REMOVED
from authbench.tables import read_batches


def similarity_text(texts: pl.DataFrame) -> pl.Series:
    """The contents (frame with `lang`, `content`) without boilerplate, which would make strangers alike (A.2)."""
    stripped = [strip(content, lang) or content for lang, content in texts.select("lang", "content").iter_rows()]
    return pl.Series("text", stripped, dtype=pl.String)


def stored_texts(paths: Sequence[str], doc_keys: pl.Series) -> Callable[[NDArray[np.int64]], list[str]]:
    """A function that gives the similarity texts of the documents at rows of `doc_keys`, read from Parquet files."""

    def fetch(rows: NDArray[np.int64]) -> list[str]:
        wanted = pl.DataFrame({"doc_key": doc_keys.gather(rows), "place": np.arange(len(rows))})
        found = []
        for batch in read_batches(paths, ["doc_key", "lang", "content"]):
            part = batch.join(wanted, on="doc_key")
            found.append(part.select("place").with_columns(similarity_text(part)))
        return pl.concat(found).sort("place")["text"].to_list()

    return fetch


def as_removed(copies: pl.DataFrame, stage: str, threshold: float) -> pl.DataFrame:
    """REMOVED rows of `dedup.find_duplicates`: the value is the similarity, the detail names the stand-in."""
    return copies.select(
        "source",
        "doc_key",
        stage=pl.lit(stage),
        reason="reason",
        value="similarity",
        threshold=pl.lit(threshold),
        detail=pl.format("stand-in {}", "stand_in"),
    ).select(REMOVED.names())
