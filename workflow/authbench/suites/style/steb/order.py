"""Order alignment as in STEB's code: the share of levels assigned to their correct position.

Every two items of a label are compared once, the earlier in the file as the order for the later. Negative cosines count
as 0, and the sum of 1 minus the cosine is minimised. As a distractor, the earlier item's last or first level replaces
its level among the later item's texts, and this level is not scored; middle levels are never distractors. A random
order scores 1 / levels; in our protocol it scores 1 / levels!.
"""

from collections.abc import Hashable, Sequence
from itertools import permutations

import numpy as np

from authbench.core.arrays import F64
from authbench.core.json_values import JsonObject
from authbench.models.model import Rows
from authbench.suites.style import intervals
from authbench.suites.style.order import cosines_of_levels
from authbench.suites.style.pairs import unit

CLOSE = 1e-9  # costs that differ by less are decided by scipy's solver
BLOCK_BYTES = 32 << 20


def score(levels: Sequence[object], labels: Sequence[Hashable]) -> JsonObject:
    """Return `acc_mean` and `distractor_acc_mean` over all comparisons, and both per label.

    Args:
        levels: a matrix per level (items x dimensions), sparse or dense, strongest style first.
        labels: the label of each item, in file order.
    """
    rows = [unit(level) for level in levels]
    places: dict[Hashable, list[int]] = {}
    for place, label in enumerate(labels):
        places.setdefault(label, []).append(place)
    per_label, right, apart = {}, [], []
    credits, credits_apart = [], []
    for label, own in places.items():
        if len(own) > 1:
            base, distracted = _of_label([level[own] for level in rows])
            per_label[label] = {"acc_mean": float(base.mean()), "distractor_acc_mean": float(distracted.mean())}
            right.append(base)
            apart.append(distracted)
            credits.append(_of_pairs(base, len(own)))
            credits_apart.append(_of_pairs(distracted.reshape(2, -1).mean(axis=0), len(own)))
    every, every_apart = (np.concatenate(found) if found else np.zeros(1) for found in (right, apart))
    return {
        "acc_mean": float(every.mean()),
        "distractor_acc_mean": float(every_apart.mean()),
        "interval": intervals.of_items(credits, pooled=True) if credits else None,
        "distractor_interval": intervals.of_items(credits_apart, pooled=True) if credits else None,
        "_per_label": per_label,
        "comparisons": sum(map(len, right)),
        "distractor_comparisons": sum(map(len, apart)),
    }


def _of_pairs(values: F64, items: int) -> F64:
    """Return values of pairs i < j as a matrix of items x items, NaN elsewhere."""
    table = np.full((items, items), np.nan)
    table[np.triu_indices(items, 1)] = values
    return table


def _of_label(rows: Sequence[Rows]) -> tuple[F64, F64]:
    """Return the accuracies of all comparisons of items of a label, without and with distractors.

    Memory: blocks of BLOCK_BYTES of cosines, and 24 bytes per comparison (three accuracies).
    """
    count, items = len(rows), rows[0].shape[0]
    step = max(1, BLOCK_BYTES // (8 * items * count**2 * 4))
    base, last, first = [], [], []
    for start in range(0, items, step):
        stop = min(start + step, items)
        later = np.arange(items)[None, :] > np.arange(start, stop)[:, None]
        across, own = cosines_of_levels(rows, slice(start, stop))
        across, within = across[later], own[np.nonzero(later)[0]]
        base.append(_shares(across, 0))
        with_last, with_first = across[:, :-1].copy(), across[:, 1:].copy()
        with_last[:, :, -1] = within[:, :-1, -1]
        with_first[:, :, 0] = within[:, 1:, 0]
        last.append(_shares(with_last, 0))
        first.append(_shares(with_first, 1))
    return np.concatenate(base), np.concatenate([*last, *first])


def _shares(cosines: F64, offset: int) -> F64:
    """Return the share of rows assigned to their own index plus `offset` (comparisons x rows x columns -> comparisons).

    All assignments are tried; if several have minimal cost within CLOSE, scipy's solver decides.
    """
    from scipy.optimize import linear_sum_assignment

    costs = 1 - np.maximum(cosines, 0)
    rows, columns = costs.shape[1:]
    wanted = np.arange(rows) + offset
    chosen = np.array(list(permutations(range(columns), rows)))
    shares: F64 = np.empty(len(costs))
    step = max(1, BLOCK_BYTES // (8 * len(chosen)))
    for start in range(0, len(costs), step):
        block = costs[start : start + step]
        sums = np.zeros((len(block), len(chosen)))
        for row in range(rows):
            sums += block[:, row, chosen[:, row]]
        least = sums.min(axis=1)
        best = chosen[sums.argmin(axis=1)]
        for at in np.flatnonzero((sums <= least[:, None] + CLOSE).sum(axis=1) > 1):
            best[at] = linear_sum_assignment(block[at])[1]
        shares[start : start + step] = (best == wanted).mean(axis=1)
    return shares
