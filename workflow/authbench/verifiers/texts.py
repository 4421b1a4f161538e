"""List the distinct texts of pairs, to process a text of many pairs once."""

from typing import Any

import numpy as np
import polars as pl

from authbench.arrays import F64, I64


def distinct(pairs: pl.DataFrame) -> tuple[list[str], I64, I64]:
    """Return the distinct texts in alphabetical order, and for each pair the places of its two texts.

    Returns:
        The texts, and two arrays of shape (pairs,).
    """
    both = pl.concat([pairs["text1"], pairs["text2"]])
    texts = both.unique().sort()
    place = both.to_frame("text").join(
        pl.DataFrame({"text": texts, "place": np.arange(len(texts))}), on="text", how="left", maintain_order="left"
    )["place"]
    return texts.to_list(), place[: pairs.height].to_numpy(), place[pairs.height :].to_numpy()


def languages(pairs: pl.DataFrame, texts: list[str]) -> list[str]:
    """Return the language of each of the `distinct` texts of pairs, empty if no pair states it."""
    if "lang" not in pairs.columns:
        return [""] * len(texts)
    stated = pl.concat([pairs.select("lang", text=side) for side in ("text1", "text2")]).drop_nulls()
    known = dict(stated.group_by("text").agg(pl.col("lang").min()).iter_rows())
    return [known.get(text, "") for text in texts]


def both_texts(pairs: pl.DataFrame) -> list[str]:
    """Return all texts of the pairs, pair after pair, with repetitions."""
    return pairs.select(pl.concat_list("text1", "text2").explode())["text1"].to_list()


def text_cosines(rows: Any, first: I64, second: I64) -> F64:
    """Return the dot product of each pair of L2-normalised rows, shape (pairs,); negative values become 0."""
    if isinstance(rows, np.ndarray):
        found = np.einsum("ij,ij->i", rows[first], rows[second], dtype=np.float64)
    else:
        found = np.asarray(rows[first].multiply(rows[second]).sum(axis=1), np.float64).ravel()
    return np.asarray(np.clip(found, 0.0, 1.0), np.float64)
