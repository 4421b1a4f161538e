"""What must share a split?

An author with his works and every text that is nearly the same as one of his (AuthBench paper, A.7).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components


def unit_of(documents: pl.DataFrame, linked: pl.DataFrame, unit: str) -> list[str]:
    """The unit each document moves with, named by its smallest doc_key: all that authors, works and links connect.

    With `document` as the unit authors connect nothing, works and links still do.
    """
    place = {doc_key: index for index, doc_key in enumerate(documents["doc_key"])}
    edges = [(place[a], place[b]) for a, b in linked.select("a", "b").iter_rows() if a in place and b in place]
    for column in ("author_id", "origin_id") if unit == "author" else ("origin_id",):
        edges += _chains(documents[column])
    group = _components(documents.height, edges)
    first: dict[int, str] = {}
    for doc_key, index in zip(documents["doc_key"], group, strict=True):
        first[index] = min(first.get(index, doc_key), doc_key)
    return [first[index] for index in group]


def find_bridges(documents: pl.DataFrame, linked: pl.DataFrame, bridge: Mapping[str, Any], unit: str) -> list[str]:
    """Documents to leave out so that no unit is larger than max(documents, language_share of its language).

    The document with the most links to other authors goes first (ties by doc_key), until its unit falls apart; an
    author's own documents never make a unit too large by themselves.
    """
    removed: list[str] = []
    left = documents
    while True:
        units = unit_of(left, linked, unit)
        allowed = left.group_by("lang").agg(
            (pl.len() * bridge["language_share"]).clip(lower_bound=bridge["documents"]).alias("most")
        )
        sizes = (
            left.with_columns(pl.Series("unit", units))
            .join(allowed, on="lang")
            .group_by("unit")
            .agg(pl.len().alias("size"), pl.col("most").max())
        )
        too_large = set(sizes.filter(pl.col("size") > pl.col("most"))["unit"])
        if not too_large:
            return sorted(removed)
        inside = left.with_columns(pl.Series("unit", units)).filter(pl.col("unit").is_in(list(too_large)))
        links = _links_across_authors(inside, linked, unit)
        if not links:
            return sorted(removed)
        worst: dict[str, tuple[int, str]] = {}
        unit_by_key = dict(inside.select("doc_key", "unit").iter_rows())
        for doc_key, number in links.items():
            name = unit_by_key[doc_key]
            worst[name] = max(worst.get(name, (0, "")), (number, doc_key))
        gone = [doc_key for _, doc_key in worst.values()]
        removed += gone
        left = left.filter(~pl.col("doc_key").is_in(gone))


def _components(size: int, edges: Sequence[tuple[int, int]]) -> NDArray[np.int32]:
    if not edges:
        return np.arange(size, dtype=np.int32)
    a, b = np.array(edges).T
    graph = csr_array((np.ones(len(a), np.int8), (a, b)), shape=(size, size))
    return connected_components(graph, directed=False)[1]  # type: ignore[no-any-return]


def _chains(column: pl.Series) -> list[tuple[int, int]]:
    """Each row with the next one that has the same value."""
    last: dict[str, int] = {}
    edges = []
    for index, value in enumerate(column):
        if value in last:
            edges.append((last[value], index))
        last[value] = index
    return edges


def _links_across_authors(documents: pl.DataFrame, linked: pl.DataFrame, unit: str) -> dict[str, int]:
    """How many documents of other authors (with `document` as the unit: works) each document is tied to."""
    owner = dict(documents.select("doc_key", "author_id" if unit == "author" else "origin_id").iter_rows())
    links: dict[str, int] = {}
    pairs = list(linked.select("a", "b").iter_rows())
    if unit == "author":
        by_work = documents.select("origin_id", "doc_key").join(
            documents.select("origin_id", pl.col("doc_key").alias("other")), on="origin_id"
        )
        pairs += by_work.filter(pl.col("doc_key") < pl.col("other")).select("doc_key", "other").iter_rows()
    for a, b in pairs:
        if a in owner and b in owner and owner[a] != owner[b]:
            links[a] = links.get(a, 0) + 1
            links[b] = links.get(b, 0) + 1
    return links
