"""Group documents that must share a split.

A group is an author with their works and every text that is nearly the same as a text of theirs (AuthBench paper, A.7).
"""

import numpy as np
import polars as pl
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from authbench.config.settings.split import Bridge

AT_ONCE = 0.005  # of a unit's documents


def unit_of(documents: pl.DataFrame, linked: pl.DataFrame, unit: str) -> list[str]:
    """Return the unit of each document, named by its smallest doc_key: all that authors, works and links connect.

    With `document` as the unit, authors do not connect documents; works and links still do.
    """
    rows = documents.select("doc_key").with_row_index("row")
    ends = linked.select("a", "b").join(rows, left_on="a", right_on="doc_key")
    edges = [ends.join(rows, left_on="b", right_on="doc_key").select(a="row", b="row_right")]
    for column in ("author_id", "origin_id") if unit == "author" else ("origin_id",):
        chain = documents.with_row_index("b").select(pl.col("b").shift().over(column).alias("a"), "b")
        edges.append(chain.drop_nulls())
    a, b = pl.concat(edges).to_numpy().T
    graph = csr_array((np.ones(len(a), np.int8), (a, b)), shape=(documents.height, documents.height))
    _, group = connected_components(graph, directed=False)
    return documents.select(pl.col("doc_key").min().over(pl.Series(group))).to_series().to_list()


def find_bridges(documents: pl.DataFrame, linked: pl.DataFrame, bridge: Bridge, unit: str) -> list[str]:
    """Return documents to leave out to keep every unit within max(documents, language_share of its language).

    The document with the most links to other authors is removed first (ties by doc_key), in a unit of hundreds the
    first AT_ONCE, until its unit falls apart. An author's documents never make a unit too large by themselves.
    """
    most = (pl.len().over("lang") * bridge["language_share"]).clip(lower_bound=bridge["documents"])
    left = documents.select("doc_key", "author_id", "origin_id", most=most)
    removed: list[str] = []
    while True:
        left = left.with_columns(pl.Series("unit", unit_of(left, linked, unit), dtype=pl.String))
        left = left.filter(pl.len().over("unit") > pl.col("most").max().over("unit"))
        links = _links_across_authors(left, linked, unit)
        place = pl.int_range(pl.len()).over("unit")
        size = pl.len().over("unit")
        worst = (
            left.join(links, on="doc_key", how="left")
            .with_columns(size=size)
            .filter(pl.col("links") > 0)
            .sort("links", "doc_key", descending=True)
            .filter(place < (pl.col("size") * AT_ONCE).clip(lower_bound=1))
        )
        if not worst.height:
            return sorted(removed)
        removed += worst["doc_key"].to_list()
        left = left.join(worst, on="doc_key", how="anti", maintain_order="left")


def _links_across_authors(documents: pl.DataFrame, linked: pl.DataFrame, unit: str) -> pl.DataFrame:
    """Return to how many documents of other authors (other works, if the unit is `document`) each is linked."""
    owner = documents.select("doc_key", owner="author_id" if unit == "author" else "origin_id")
    pairs = linked.select("a", "b").join(owner, left_on="a", right_on="doc_key")
    pairs = pairs.join(owner, left_on="b", right_on="doc_key", suffix="_b").filter(pl.col("owner") != pl.col("owner_b"))
    of_others = pl.len().over("origin_id") - pl.len().over("origin_id", "owner")
    tied = [
        pairs.select(doc_key="a", links=pl.lit(1, pl.UInt32)),
        pairs.select(doc_key="b", links=pl.lit(1, pl.UInt32)),
        documents.select("doc_key", "origin_id").join(owner, on="doc_key").select("doc_key", links=of_others),
    ]
    return pl.concat(tied).group_by("doc_key").agg(pl.col("links").sum())
