"""Sort the texts of a split as the pools need them: by language, genre, source and length."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from authbench.build.release.queries import partners
from authbench.core.arrays import I64
from authbench.core.identity import keyed_hashes
from authbench.core.records import primary_genre

if TYPE_CHECKING:
    from authbench.build.release.pool_kernels import Places


class Texts(NamedTuple):
    """Hold a split's queries and its candidates that may be positive or negative, by cell, source and length.

    A cell is a language and primary genre; `home` is the cell of a text. Texts of equal length are in the order of a
    keyed hash. Texts that may be neither positive nor negative come last, with cell -1. `rows` are places in the table
    of documents.
    """

    ids: pl.Series
    home: I64
    cell: I64
    rows: I64
    places: "Places"


def arrange(
    documents: pl.DataFrame, seed: int, containment: pl.DataFrame | None, possibly_one: pl.DataFrame | None
) -> Texts:
    """Return the texts of a split; column `fits` says which may be positive or negative."""
    from authbench.build.release.pool_kernels import Places

    sorted_texts = documents.with_columns(
        keyed_hashes(seed, "negative", documents["doc_key"]),
        pl.col("genre").map_elements(primary_genre, pl.String).alias("primary"),
        row=pl.int_range(pl.len()),
    ).sort(~pl.col("fits"), "lang", "primary", "source", "token_length", "rank", "doc_key")
    place, kind = pl.col("place").cast(pl.Int64), ("cell", "source")
    kept = (
        sorted_texts.with_row_index("place")
        .with_columns(home=pl.struct("lang", "primary").rank("dense").cast(pl.Int64))
        .with_columns(cell=pl.when("fits").then("home").otherwise(-1))
        .with_columns(first=place.min().over(kind), end=place.max().over(kind) + 1)
    )
    authors = {ident: number for number, ident in enumerate(kept["author_id"].unique(maintain_order=True))}
    author = [authors[ident] for ident in kept["author_id"]]
    excluded = _excluded(kept["doc_key"], author, authors, containment, possibly_one)
    ends = np.cumsum([0, *map(len, excluded)], dtype=np.int64)
    lengths = kept["token_length"].to_numpy().astype(np.int64)
    with np.errstate(divide="ignore"):
        logarithms = np.log(lengths)
    return Texts(
        kept["id"],
        kept["home"].to_numpy(),
        kept["cell"].to_numpy(),
        kept["row"].to_numpy(),
        Places(
            kept["first"].to_numpy(writable=True),
            kept["end"].to_numpy(writable=True),
            lengths,
            logarithms,
            kept["rank"].to_numpy(),
            np.array(author, np.int64),
            np.fromiter(chain.from_iterable(excluded), np.int64, int(ends[-1])),
            ends,
        ),
    )


def _excluded(
    keys: pl.Series,
    author: Sequence[int],
    authors: Mapping[str, int],
    containment: pl.DataFrame | None,
    possibly_one: pl.DataFrame | None,
) -> list[list[int]]:
    """Return for each author the places of texts that are no negatives, sorted.

    These are texts of the author or of a possibly identical person, and texts that contain a text of the author or are
    contained in one.

    Args:
        keys: `doc_key` by place.
        author: the author's number by place.
        authors: numbers by id.
    """
    places_of: list[list[int]] = [[] for _ in authors]
    for place, number in enumerate(author):
        places_of[number].append(place)
    barred: defaultdict[int, set[int]] = defaultdict(set)
    of_key = {key: place for place, key in enumerate(keys)}
    for doc_key, alike in partners(containment).items():
        if doc_key in of_key:
            barred[author[of_key[doc_key]]].update(of_key[other] for other in alike if other in of_key)
    for one, people in partners(possibly_one).items():
        if one in authors:
            barred[authors[one]].update(*(places_of[authors[other]] for other in people if other in authors))
    return [sorted({*places, *barred.get(number, ())}) for number, places in enumerate(places_of)]
