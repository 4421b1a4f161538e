"""Order alignment: measure whether a model matches the stylistic order of other texts.

An item has a text per level of a style (informal, formal; the reading levels of an article). Every two items of a
style are compared (STEB appendix C.1): the first item's texts define the order, and the second item's texts are
assigned to it. The chosen assignment minimises sqrt(sum (1 - s)^2) over its cosines s; for two levels this is STEL's
rule (Wegmann and Nguyen 2021).

With a distractor, a level of the order is omitted, and the *same* item's text of that level is added to the texts to
assign; a model that matches by content picks it. For two levels this is STEL-or-Content (Wegmann et al. 2022).
"""

from collections.abc import Sequence
from itertools import permutations
from math import factorial

import numpy as np

from authbench.core.arrays import F64
from authbench.core.json_values import JsonObject
from authbench.models.model import Rows
from authbench.suites.style import intervals
from authbench.suites.style.pairs import all_cosines, cosines, unit

TIE = 1e-12
BLOCK_BYTES = 32 << 20


def score(levels: Sequence[Rows], styles: Sequence[str]) -> JsonObject:
    """Return `accuracy` and `distractor`, each the mean over styles, with `chance`.

    `levels` has a matrix per level (items x dimensions), `styles` the style of each item. Equally good assignments
    share the point; `ties` and `distractor_ties` count the comparisons with ties. Both chance levels are 1 / levels!.
    """
    names = np.array(styles)
    parts, credits = {}, {}
    for style in sorted(set(styles)):
        own = np.flatnonzero(names == style)
        if len(own) > 1:
            parts[style], credits[style] = _of_style([level[own] for level in levels])
    counts = {"levels": len(levels), "items": len(names), "styles": len(parts)}
    if not parts:
        return {"undefined": "no style has two items", **counts}
    by_style = {
        style: {name: value for name, value in part.items() if "ties" not in name} for style, part in parts.items()
    }
    return {
        **{name: float(np.mean([part[name] for part in parts.values()])) for name in ("accuracy", "distractor")},
        "interval": intervals.of_items([both[0] for both in credits.values()], pooled=False),
        "distractor_interval": intervals.of_items([both[1] for both in credits.values()], pooled=False),
        "chance": 1 / factorial(len(levels)),
        "distractor_chance": 1 / factorial(len(levels)),
        **{name: sum(part[name] for part in parts.values()) for name in ("comparisons", "ties", "distractor_ties")},
        **counts,
        "by_style": by_style,
    }


def _of_style(levels: Sequence[object]) -> tuple[dict[str, float], tuple[F64, F64]]:
    """Return the accuracies over all pairs of items of a style, and the points of each pair, NaN on the diagonal.

    Points are items x items, without and with distractors (the mean over the omitted levels); 16 bytes per pair.
    """
    rows = [unit(level) for level in levels]
    items = rows[0].shape[0]
    step = max(1, BLOCK_BYTES // (8 * items * len(rows) ** 2))
    right = ties = pairs = 0.0
    apart = apart_ties = asked = 0.0
    points, points_apart = np.full((items, items), np.nan), np.full((items, items), np.nan)
    for start in range(0, items, step):
        stop = min(start + step, items)
        across, within = cosines_of_levels(rows, slice(start, stop))
        later = np.arange(items)[None, :] > np.arange(start, stop)[:, None]
        credit = aligned(across[later])
        points[start:stop][later] = credit
        right, ties, pairs = right + credit.sum(), ties + (credit % 1 > 0).sum(), pairs + len(credit)
        other = np.arange(items)[None, :] != np.arange(start, stop)[:, None]
        points_apart[start:stop][other] = 0
        for left_out in range(len(rows)):
            given = _with_distractor(across, within, left_out)[other]
            credit = aligned(given)
            points_apart[start:stop][other] += credit / len(rows)
            apart, apart_ties, asked = apart + credit.sum(), apart_ties + (credit % 1 > 0).sum(), asked + len(credit)
    return {
        "accuracy": right / pairs,
        "distractor": apart / asked,
        "comparisons": int(pairs),
        "ties": int(ties),
        "distractor_ties": int(apart_ties),
    }, (points, points_apart)


def cosines_of_levels(rows: Sequence[Rows], anchors: slice) -> tuple[F64, F64]:
    """Return the cosines of some items with all, and of each of them with itself, by level.

    Args:
        rows: a matrix of unit rows per level, shape (items, dimensions).

    Returns:
        Shapes (anchors, items, levels of the anchor, levels of the item) and (anchors, levels, levels).
    """
    across = [np.stack([all_cosines(one[anchors], other) for other in rows], -1) for one in rows]
    within = [np.stack([cosines(one[anchors], other[anchors]) for other in rows], -1) for one in rows]
    return np.stack(across, -2), np.stack(within, -2)


def _with_distractor(across: F64, within: F64, left_out: int) -> F64:
    """Return the cosines of the remaining levels with the other item's texts, and last with the distractor."""
    left = [level for level in range(across.shape[-1]) if level != left_out]
    same_topic = np.broadcast_to(within[:, None, left, left_out], (across.shape[0], across.shape[1], len(left)))
    return np.concatenate([across[:, :, left][..., left], same_topic[..., None]], axis=-1)


def aligned(given: F64) -> F64:
    """Return 1 where the best assignment is the identity, 1 / ties if tied, else 0, shape (comparisons,).

    `given` are cosines of shape (comparisons, ordered, unordered).

    >>> aligned(np.array([[[0.9, 0.1], [0.1, 0.9]], [[0.5, 0.5], [0.5, 0.5]]])).tolist()
    [1.0, 0.5]
    """
    ordered, unordered = given.shape[-2:]
    far = (1 - given) ** 2
    places = np.arange(ordered)
    costs = np.stack(
        [np.sqrt(far[:, places, list(chosen)].sum(axis=-1)) for chosen in permutations(range(unordered), ordered)]
    )  # the first is the identity
    best = costs.min(axis=0)
    tied = (costs <= best + TIE).sum(axis=0)
    return np.asarray(np.where(costs[0] <= best + TIE, 1 / tied, 0.0))
