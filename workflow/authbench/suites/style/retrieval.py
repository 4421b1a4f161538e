"""Retrieval: rank a query's author among all authors.

A query or target consists of texts of an author, represented by the mean of their vectors (STEB §3.1).
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from authbench.core.arrays import F64
from authbench.core.json_values import JsonObject
from authbench.models.model import Rows
from authbench.suites.style import intervals
from authbench.suites.style.pairs import all_cosines, unit

CUTS = (1, 8)


def score(
    queries: object,
    asking: Sequence[str],
    targets: object,
    answering: Sequence[str],
    together: Sequence[str] | None = None,
) -> JsonObject:
    """Return MRR, R@1 and R@8 over queries whose author is a target, and their values for random order (`by_chance`).

    `queries` and `targets` have a row per text; `asking` and `answering` give the authors. `together` gives each text's
    query; by default, all texts of an author form a query. Target authors with equal cosines are ranked by name.
    """
    together = asking if together is None else together
    author_of = dict(zip(together, asking, strict=True))
    pool = sorted(set(answering))
    place = {author: number for number, author in enumerate(pool)}
    asked = [query for query in sorted(author_of) if author_of[query] in place]
    counts = {"queries": len(asked), "targets": len(pool), "texts": len(asking) + len(answering)}
    if not asked or len(pool) < 2:
        return {"undefined": "fewer than two target authors, or none of them asks", **counts}
    answers = unit(means(unit(targets), answering, pool))
    ranks = []
    for query, row in zip(asked, scored(unit(means(unit(queries), together, asked)), answers), strict=True):
        at = place[author_of[query]]
        ranks.append(1 + int((row > row[at]).sum()) + int((row[:at] == row[at]).sum()))
    found = np.array(ranks)
    count = len(pool)
    chance = {"mrr": float((1 / np.arange(1, count + 1)).mean())} | {
        f"recall@{cut}": min(cut, count) / count for cut in CUTS
    }
    return {
        "mrr": float((1 / found).mean()),
        **{f"recall@{cut}": float((found <= cut).mean()) for cut in CUTS},
        "by_chance": chance,
        "interval": intervals.of_mean(1 / found, [author_of[query] for query in asked]),
        **counts,
    }


def means(rows: Rows, owners: Sequence[str], wanted: Iterable[str]) -> Rows:
    """Return the mean of each wanted owner's rows (owners x dimensions)."""
    from scipy.sparse import csr_matrix

    place = {owner: number for number, owner in enumerate(wanted)}
    owned = [(place[owner], row) for row, owner in enumerate(owners) if owner in place]
    who, which = np.array(owned).T
    share = 1.0 / np.bincount(who)[who]
    return csr_matrix((share, (who, which)), shape=(len(place), len(owners))) @ rows


def scored(queries: Rows, targets: Rows) -> Iterator[F64]:
    """Yield the cosines of queries with all targets, in blocks of queries."""
    for start in range(0, queries.shape[0], 256):
        yield from all_cosines(queries[start : start + 256], targets)
