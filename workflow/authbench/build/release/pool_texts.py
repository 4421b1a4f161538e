"""Sort the texts of a split as the pools need them: by language, genre, source and length."""

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
import polars as pl

from authbench.build.release.queries import partners
from authbench.core.arrays import F64, I64, U64
from authbench.core.identity import keyed_hashes
from authbench.core.records import primary_genre

Places = I64


@dataclass(frozen=True)
class Texts:
    """Hold a split's queries and its candidates that may be positive or negative, by cell, source and length.

    A cell is a language and primary genre; `home` is the cell of a text. Texts of equal length are in the order of
    `rank`, a keyed hash. Texts that may be neither positive nor negative come last, with cell -1. `barred` are places
    that no negative of an author may have, in addition to the author's texts.
    """

    ids: Sequence[str]
    author: Places
    rank: U64
    lengths: Places
    home: Places
    cell: Places
    rows: Places  # in the table of documents
    starts: Mapping[tuple[int, int], tuple[int, int]]  # first place, and the place after the last, of a cell and source
    source: Places
    barred: Mapping[int, Set[int]]

    @cached_property
    def place(self) -> dict[str, int]:
        return {ident: place for place, ident in enumerate(self.ids)}

    @cached_property
    def logarithms(self) -> F64:
        """Return the logarithm of each text's length; -inf for texts without tokens."""
        with np.errstate(divide="ignore"):
            return np.log(self.lengths)

    @cached_property
    def first(self) -> Places:
        """Return the first place of each text's cell and source."""
        return self._bounds[0]

    @cached_property
    def end(self) -> Places:
        """Return the place after the last of each text's cell and source."""
        return self._bounds[1]

    @cached_property
    def _bounds(self) -> tuple[Places, Places]:
        first, end = np.zeros((2, len(self.ids)), np.int64)
        for start, behind in self.starts.values():
            first[start:behind], end[start:behind] = start, behind
        return first, end

    @cached_property
    def places_of(self) -> dict[int, list[int]]:
        """Return the places of each author's texts."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        for place, author in enumerate(self.author.tolist()):
            found[author].append(place)
        return dict(found)

    @cached_property
    def excluded(self) -> tuple[Places, Places]:
        """Return the places that no negative of an author may have, by author, and where each author's places end."""
        of_authors = [
            sorted({*places, *self.barred.get(author, ())}) for author, places in sorted(self.places_of.items())
        ]
        ends = np.cumsum([0, *map(len, of_authors)], dtype=np.int64)
        return np.fromiter(chain.from_iterable(of_authors), np.int64, int(ends[-1])), ends


def arrange(
    documents: pl.DataFrame, seed: int, containment: pl.DataFrame | None, possibly_one: pl.DataFrame | None
) -> Texts:
    """Return the texts of a split; column `fits` says which may be positive or negative."""
    kept = documents.with_columns(
        keyed_hashes(seed, "negative", documents["doc_key"]),
        pl.col("genre").map_elements(primary_genre, pl.String).alias("primary"),
        row=pl.int_range(pl.len()),
    ).sort(~pl.col("fits"), "lang", "primary", "source", "token_length", "rank", "doc_key")
    kept = kept.with_columns(
        home=pl.struct("lang", "primary").rank("dense").cast(pl.Int64),
        origin=pl.col("source").rank("dense").cast(pl.Int64),
    ).with_columns(cell=pl.when("fits").then("home").otherwise(-1))
    authors = {ident: number for number, ident in enumerate(kept["author_id"].unique(maintain_order=True))}
    author = [authors[ident] for ident in kept["author_id"]]
    cell, source = kept["cell"].to_numpy(), kept["origin"].to_numpy()
    starts: dict[tuple[int, int], tuple[int, int]] = {}
    for place, key in enumerate(zip(cell.tolist(), source.tolist(), strict=True)):
        starts[key] = (starts.get(key, (place,))[0], place + 1)
    barred: defaultdict[int, set[int]] = defaultdict(set)
    of_key = {key: place for place, key in enumerate(kept["doc_key"])}
    for doc_key, alike in partners(containment).items():
        if doc_key in of_key:
            barred[author[of_key[doc_key]]].update(of_key[other] for other in alike if other in of_key)
    texts = Texts(
        kept["id"].to_list(),
        np.array(author, np.int64),
        kept["rank"].to_numpy(),
        kept["token_length"].to_numpy().astype(np.int64),
        kept["home"].to_numpy(),
        cell,
        kept["row"].to_numpy(),
        starts,
        source,
        barred,
    )
    for one, people in partners(possibly_one).items():
        if one in authors:
            known = (authors[other] for other in people if other in authors)
            barred[authors[one]].update(chain.from_iterable(texts.places_of[other] for other in known))
    return texts
