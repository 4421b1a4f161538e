"""Retrieval as in STEB's code: a query and a target per author, ranked by cosine distance.

An author's texts on a side are represented by their plain mean, without normalising to unit length first. Authors
with queries but no targets, or the reverse, are removed before ranking, which shrinks the pool.
"""

from collections.abc import Sequence

import numpy as np

from authbench.core.json_values import JsonObject
from authbench.suites.style import intervals
from authbench.suites.style.pairs import all_cosines, unit

CUTS = (1, 8, 16, 32, 64, 128)


def score(queries: object, asking: Sequence[str], targets: object, answering: Sequence[str]) -> JsonObject:
    """Return `mrr`, `mean_rank` and `recall@k`, averaged over the targets of each query's author, then over queries.

    Args:
        queries: a row per query, `asking` its author.
        targets: a row per target, `answering` its author; every target of the query's author is relevant.
    """
    shared = set(asking) & set(answering)
    if not shared:
        return {"undefined": "no author is on both sides"}
    asked = [place for place, author in enumerate(asking) if author in shared]
    pool = [place for place, author in enumerate(answering) if author in shared]
    wanted, have = np.array([asking[place] for place in asked]), np.array([answering[place] for place in pool])
    order = np.argsort(1 - all_cosines(unit(queries)[asked], unit(targets)[pool]), axis=1, kind="stable")
    ranks = [1 + np.flatnonzero(have[row] == author) for row, author in zip(order, wanted, strict=True)]
    points = [float(np.mean(1 / own)) for own in ranks]
    return {
        "mrr": float(np.mean(points)),
        "interval": intervals.of_mean(points, [asking[place] for place in asked]),
        "mean_rank": float(np.mean([np.mean(own) for own in ranks])),
        **{f"recall@{cut}": float(np.mean([np.mean(own <= cut) for own in ranks])) for cut in CUTS},
        "queries": len(asked),
        "targets": len(pool),
    }
