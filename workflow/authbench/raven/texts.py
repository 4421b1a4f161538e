"""Read the texts of pairs for verifiers and PAN's files."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from authbench.raven.documents import read_contents, read_keys

COLUMNS = ("id", "author", "topic", "lang", "content")
_SIDES = {"text": "content", "topic": "topic", "author": "author", "lang": "lang"}


def read_texts(documents: Path, ids: pl.Series, cut: int | None, columns: Sequence[str] = COLUMNS) -> pl.DataFrame:
    """Return columns of the documents with these ids, which may repeat; texts are truncated to `cut` characters."""
    keys = read_keys(documents).filter(pl.col("id").is_in(ids.unique().implode()))
    return read_contents(documents, keys, columns).with_columns(pl.col("content").str.head(cut) if cut else "content")


def with_texts(pairs: pl.DataFrame, texts: pl.DataFrame) -> pl.DataFrame:
    """Return pairs as verifiers take them: `id`, `text1`, `text2`, `same`, topics and authors likewise, and `lang`.

    Texts are shared, not copied. `lang` is null if the texts' languages differ.
    """
    place = pl.DataFrame({"id": texts["id"]}).with_row_index("place")
    columns = {"id": pairs["id"], "same": pairs["same"]}
    for number, side in enumerate(("first", "second"), start=1):
        own = pairs.select(id=side).join(place, on="id", how="left", maintain_order="left")["place"]
        columns |= {f"{name}{number}": texts[column].gather(own) for name, column in _SIDES.items()}
    found = pl.DataFrame(columns).with_columns(lang=pl.when(pl.col("lang1") == pl.col("lang2")).then("lang1"))
    return found.select("id", "text1", "text2", "same", "topic1", "topic2", "author1", "author2", "lang")
