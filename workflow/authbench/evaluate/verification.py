"""Can a threshold on similarity tell pairs by one author from pairs by two?

Every positive of a query makes a pair with it, and a fixed number of negatives drawn by hash make the others
(AuthBench paper, A.8). Three kinds of negatives are told side by side, as a model that knows no more than language,
genre and length does well against the first: any other candidate, one of the same language, and one of the same
language, genre and length. A fourth is of the query's topic, and so are its positives (F.5).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from authbench.arrays import F64, I32
from authbench.evaluate.split import Lists, Split
from authbench.identity import keyed_hash

# What a negative must share with its query.
NEGATIVES: Mapping[str, tuple[str, ...]] = {
    "whole": (),
    "same_language": ("lang",),
    "matched": ("lang", "genre", "length"),
    "same_topic": ("topic",),
}
PER_QUERY = 50


class ErrorRate(NamedTuple):
    """`eer`: between the neighbouring operating points, linearly. At `threshold` (the highest at which FAR and FRR are
    closest) the shares `far` of negatives accepted, score >= threshold, and `frr` of positives refused."""

    eer: float
    far: float
    frr: float
    threshold: float


def draw_negatives(split: Split, seed: int, count: int = PER_QUERY) -> dict[str, Lists]:
    """For each kind of NEGATIVES up to `count` candidates a query: those whose hash with the query is lowest.

    The hash is of (seed, query, candidate); a query without positives has none. Never a positive, the query or an
    ignored one.
    """
    from authbench.evaluate import kernels

    keys = np.array([keyed_hash(seed, "negative", ident) for ident in split.documents["id"]], np.uint64)
    answered = split.positives.lengths() > 0
    drawn = {}
    for kind, shared in NEGATIVES.items():
        code = group_codes(split.documents, shared)
        of_candidate = code[: split.candidates]
        members = np.argsort(of_candidate, kind="stable").astype(np.int32)
        starts = np.searchsorted(of_candidate[members], np.arange(code.max(initial=0) + 2))
        rows = np.full((len(split.asks), count), -1, np.int32)
        kernels.draw_by_hash(
            keys[split.asks],
            keys[: split.candidates],
            np.where(answered, code[split.asks], -1).astype(np.int32),
            starts,
            members,
            split.positives.starts,
            split.positives.rows,
            split.excluded.starts,
            split.excluded.rows,
            rows,
        )
        rows.sort(axis=1)
        drawn[kind] = Lists(np.concatenate([[0], np.cumsum((rows >= 0).sum(axis=1))]), rows[rows >= 0])
    return drawn


def group_codes(documents: pl.DataFrame, shared: Sequence[str]) -> I32:
    """A number per document, from 0: equal where all `shared` columns are."""
    if not shared:
        return np.zeros(documents.height, np.int32)
    key = documents.select(pl.concat_str(shared, separator="\x1f")).to_series()
    return key.rank("dense").to_numpy().astype(np.int32) - np.int32(1)


def error_rate(positives: F64, negatives: F64) -> ErrorRate:
    """The equal error rate of the scores; NaN where one side is empty. Equal scores are one threshold (A.9).

    Fastest where both sides are sorted.
    """
    if not len(positives) or not len(negatives):
        return ErrorRate(*[np.nan] * 4)
    scores = np.concatenate([positives, negatives])
    order = np.argsort(scores, kind="stable")
    scores, positives_below = scores[order], np.cumsum(order < len(positives))
    below = np.append(0, np.flatnonzero(scores[1:] != scores[:-1]) + 1)  # of each threshold, the number of lower scores
    thresholds, missed = scores[below], np.append(0, positives_below)[below]
    far, frr = 1.0 - (below - missed) / len(negatives), missed / len(positives)
    far, frr = np.append(far, 0.0), np.append(frr, 1.0)
    gap = np.abs(far - frr)
    at = len(gap) - 1 - int(np.argmin(np.round(gap[::-1], 15)))
    return ErrorRate(crossing(far, frr), float(far[at]), float(frr[at]), float(np.append(thresholds, np.inf)[at]))


def crossing(far: F64, frr: F64) -> float:
    """Where the falling FAR meets the rising FRR, on straight lines between the operating points."""
    gap = far - frr
    after = int(np.argmax(gap <= 0))
    if after == 0 or gap[after] == 0:
        return float(far[after])
    before = after - 1
    share = gap[before] / (gap[before] - gap[after])
    return float(far[before] + share * (far[after] - far[before]))


def crossings_of_histograms(positives: NDArray[Any], negatives: NDArray[Any]) -> F64:
    """The equal error rate of each row: `positives` and `negatives` count scores by bin, lowest bin first.

    NaN where one side is empty. Within a bin both rates change along a straight line.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        frr = np.cumsum(positives, axis=1) / positives.sum(axis=1, keepdims=True)
        far = 1.0 - np.cumsum(negatives, axis=1) / negatives.sum(axis=1, keepdims=True)
    frr = np.concatenate([np.zeros((len(frr), 1)), frr], axis=1)
    far = np.concatenate([np.ones((len(far), 1)), far], axis=1)
    gap = far - frr
    after = np.maximum(np.argmax(gap <= 0, axis=1), 1)
    row = np.arange(len(gap))
    before = after - 1
    with np.errstate(invalid="ignore", divide="ignore"):
        share = gap[row, before] / (gap[row, before] - gap[row, after])
    found = far[row, before] + share * (far[row, after] - far[row, before])
    return np.where(np.isfinite(frr[:, -1]) & np.isfinite(far[:, -1]), found, np.nan)
