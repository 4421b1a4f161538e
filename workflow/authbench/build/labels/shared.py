"""Find texts known under two labels, and labels that share several texts."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from authbench.core.storage.parquet import read_columns

STAND_IN = "stand-in "  # precedes the kept text's key in `detail` of a removed copy
LETTERS = 100  # a shorter text may be by two people
TEXTS = 3  # minimum shared texts of two labels that may be one person
MOST_LABELS = 20  # a text with more labels (a chain letter) is not evidence about any two of them
CHUNK = r"#chunk_\d+$"

PAIRS = pl.Schema({"doc_key": pl.String, "stand_in": pl.String})
SHARED = pl.Schema({"a": pl.String, "b": pl.String})


def stand_ins(removed: pl.DataFrame) -> pl.DataFrame:
    """Return `doc_key, stand_in` of removed copies (among the REMOVED rows of a de-duplication)."""
    copies = removed.filter(pl.col("detail").str.starts_with(STAND_IN))
    return copies.select("doc_key", stand_in=pl.col("detail").str.strip_prefix(STAND_IN)).cast(PAIRS)


def copies_among(copies: pl.DataFrame, keys: pl.Series) -> pl.DataFrame:
    """Return the rows of `stand_ins` whose removed or kept text has one of the keys."""
    return copies.filter(pl.any_horizontal(pl.col("doc_key", "stand_in").is_in(keys.implode())))


def read_texts(paths: Sequence[str | Path], copies: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Return columns of the removed copies and of the texts kept for them, read from tables of all documents."""
    wanted = pl.concat([copies["doc_key"], copies["stand_in"]]).unique().implode()
    return pl.concat([read_columns([path], columns).filter(pl.col("doc_key").is_in(wanted)) for path in paths])


def texts_of_two_labels(copies: pl.DataFrame, texts: pl.DataFrame) -> pl.DataFrame:
    """Return the keys (`doc_key`, sorted) of texts with a copy by another author.

    Args:
        copies: removed texts and the kept text of each (`doc_key`, `stand_in`).
        texts: `doc_key, author_id` of all of both.
    """
    return _of_both(copies, texts).filter(pl.col("author_id") != pl.col("author_id_kept")).select(
        doc_key="stand_in"
    ).unique().sort("doc_key")  # fmt: skip


def known_under_two_labels(doc_key: str | pl.Expr, texts: pl.DataFrame) -> pl.Expr:
    """Return whether documents are such texts, or were cut from such a text."""
    key = pl.col(doc_key) if isinstance(doc_key, str) else doc_key
    listed = texts["doc_key"].implode()
    return key.is_in(listed) | key.str.replace(CHUNK, "").is_in(listed)


def labels_that_share_texts(copies: pl.DataFrame, texts: pl.DataFrame) -> pl.DataFrame:
    """Return pairs `a, b` (a < b, sorted) of a source's labels that share at least TEXTS texts of LETTERS letters.

    Args:
        copies: removed texts and the kept text of each (`doc_key`, `stand_in`).
        texts: `doc_key, source, author_id, letters` of all of both.
    """
    both = _of_both(copies, texts)
    long = both.filter((pl.col("letters") >= LETTERS) & (pl.col("letters_kept") >= LETTERS))
    owners = pl.concat(
        [
            long.select("source", "author_id", text="stand_in"),
            long.select(source="source_kept", author_id="author_id_kept", text="stand_in"),
        ]
    ).unique()
    owners = owners.filter((pl.len().over("text", "source") > 1) & (pl.len().over("text", "source") <= MOST_LABELS))
    pairs = owners.join(owners, on=("text", "source")).filter(pl.col("author_id") < pl.col("author_id_right"))
    several = pairs.group_by("source", a="author_id", b="author_id_right").len().filter(pl.col("len") >= TEXTS)
    return several.select("a", "b").cast(SHARED).unique().sort("a", "b")


def _of_both(copies: pl.DataFrame, texts: pl.DataFrame) -> pl.DataFrame:
    """Return the copies with the columns of both texts, suffixed `…_kept` for the kept text."""
    return copies.join(texts, on="doc_key").join(texts, left_on="stand_in", right_on="doc_key", suffix="_kept")
