"""Compute the metrics of installed packages from the ranks of the positives (docs/plug-ins.md)."""

from dataclasses import replace

import numpy as np

from authbench.config.plugins import Metrics, metric_values, plugin_key
from authbench.core.arrays import F64
from authbench.scoring.evaluation.listed import BEHIND
from authbench.scoring.evaluation.retrieval import Ranking
from authbench.scoring.evaluation.split import Split


def with_plugged(ranking: Ranking, split: Split, metrics: Metrics) -> Ranking:
    """Return the ranking with metrics of plug-ins in every pool.

    A metric is NaN for queries without positives in the pool, and for all queries if a positive is not ranked.

    Raises:
        InputError: a metric fails.
    """
    found: dict[str, F64] = {}
    for pool, ranks in ranking.ranks.items() if metrics else ():
        inside = ranks > 0
        owners, ranks = split.positives.owners()[inside], ranks[inside]
        order = np.lexsort((ranks, owners))
        queries, starts = np.unique(owners, return_index=True)
        ordered = ranks[order]
        ordered.flags.writeable = False
        lists = np.split(ordered, starts[1:]) if len(queries) else []
        known = bool(lists) and ordered.max() < BEHIND
        for plugin, metric in metrics:
            values = np.full(len(split.asks), np.nan)
            if known:
                values[queries] = metric_values(plugin, metric, lists, ranking.sizes[pool][queries].tolist())
            found[f"{'' if pool == 'whole' else f'{pool}:'}{plugin_key(plugin.name)}"] = values
    return replace(ranking, plugged=found)
