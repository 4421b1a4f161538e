"""Select texts of the train pairs as the population for comparison, without the authors of the pair."""

from typing import NamedTuple

import numpy as np
import polars as pl

from authbench.core.arrays import BOOL, F64, I64
from authbench.core.identity import keyed_hash
from authbench.models.model import Rows


def distinct(pairs: pl.DataFrame) -> tuple[list[str], I64, I64]:
    """Return the distinct texts in alphabetical order, and the places of each pair's texts, two arrays (pairs,)."""
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


def text_cosines(rows: Rows, first: I64, second: I64) -> F64:
    """Return the dot product of each pair of L2-normalised rows, shape (pairs,); negative values become 0."""
    if isinstance(rows, np.ndarray):
        found = np.einsum("ij,ij->i", rows[first], rows[second], dtype=np.float64)
    else:
        found = np.asarray(rows[first].multiply(rows[second]).sum(axis=1), np.float64).ravel()
    return np.asarray(np.clip(found, 0.0, 1.0), np.float64)


class References(NamedTuple):
    """Hold texts of other authors.

    Attributes:
        texts: at most the requested number, by a hash.
        langs: the language of each.
        owners: the number of each text's author.
        known: the author of every text of the train pairs.
    """

    texts: list[str]
    langs: list[str]
    owners: I64
    known: dict[str, int]

    def others(self, *texts: str) -> BOOL:
        """Return which `texts` are not among these texts and, as far as the train pairs show, not by their authors."""
        own = [self.known[text] for text in texts if text in self.known]
        return np.asarray(~np.isin(self.owners, own))


def references(train: pl.DataFrame, most: int, seed: int) -> References:
    """Return the texts of the train pairs, at most `most` of them.

    Texts whose author is named in the pairs share that author; texts connected by same-author pairs share an author
    too.
    """
    texts, first, second = distinct(train)
    owners = _authors(train, first, second, len(texts))
    order = sorted(range(len(texts)), key=lambda place: (keyed_hash(seed, "reference", texts[place]), place))
    kept = sorted(order[:most])
    langs = languages(train, texts)
    known = dict(zip(texts, owners.tolist(), strict=True))
    return References([texts[one] for one in kept], [langs[one] for one in kept], owners[kept], known)


def drawn(pairs: pl.DataFrame, most: int, seed: int) -> pl.DataFrame:
    """Return at most `most` pairs in their order, selected by a hash of their ids; classes keep their proportion."""
    if pairs.height <= most:
        return pairs
    rank = pl.Series("rank", [keyed_hash(seed, "calibrated on", one) for one in pairs["id"]], dtype=pl.UInt64)
    ordered = pairs.with_columns(rank, place=pl.int_range(pl.len()))
    parts = [part.sort("rank", "place") for part in ordered.partition_by("same", maintain_order=True)]
    kept = pl.concat([part.head(max(1, round(most * part.height / pairs.height))) for part in parts])
    return kept.sort("place").drop("rank", "place")


def _authors(train: pl.DataFrame, first: I64, second: I64, count: int) -> I64:
    """Return the number of each text's author."""
    same = train["same"].to_numpy()
    links = [np.stack([first[same], second[same]])]
    if {"author1", "author2"} <= set(train.columns):
        names = pl.concat([train["author1"], train["author2"]])
        of = pl.DataFrame({"name": names, "text": np.concatenate([first, second])}).drop_nulls()
        start = of.select(pl.col("text").first().over("name"))["text"]
        links.append(np.stack([start.to_numpy(), of["text"].to_numpy()]))
    one, other = np.concatenate(links, axis=1)
    return connected(one, other, count)


def connected(one: I64, other: I64, count: int) -> I64:
    """Return the number of the component of each of `count` nodes, given the two ends of each link."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    _, found = connected_components(coo_array((np.ones(len(one)), (one, other)), (count, count)), directed=False)
    return np.asarray(found, np.int64)
