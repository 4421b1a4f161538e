"""Tell which published differences exceed chance: of two models, and of a model and a row that reads no style.

Where the metrics of every query are at hand (`queries.parquet` with a `scores.json`), differences are paired: means
over authors, with a bootstrap interval and p by approximate randomisation.

Of a share of solved queries without them, only bounds of p are known. Two systems that solve a and b of n queries
disagree on at least |a - b| and at most min(a + b, 2n - a - b); McNemar's exact test (1947) of both is the least and
the highest p. A difference is separable if the highest p says so, not separable if not even the least does, else open.

Holm corrects p over all pairs of a score on a split.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypedDict

import numpy as np
import polars as pl

from authbench.audit.auditing.published import Given, parts_of
from authbench.audit.auditing.rows import LOWER_IS_BETTER, Measured
from authbench.scoring.evaluation import headline
from authbench.scoring.evaluation.released import COUNTS
from authbench.scoring.metrics.bootstrap import interval
from authbench.scoring.metrics.significance import LEVEL, holm, p_of_paired_means

SEPARABLE, NOT_SEPARABLE, OPEN = "separable", "not separable", "open"
_SHARES = ("success@1", "success@5")  # scores of which a query has 0 or 1


class Difference(TypedDict):
    """A published difference; `other` is a model, or (`row`) reads no style.

    `p_least` and `p_most` are corrected. They are equal if the difference is paired; then it has an interval.
    """

    score: str
    split: str | None
    model: str
    other: str
    row: bool
    difference: float
    low: float | None
    high: float | None
    p_least: float
    p_most: float
    verdict: str


@dataclass(frozen=True)
class _System:
    """A model or row: its value, the metrics of its queries, and the numbers of queries and their authors, if known."""

    name: str
    row: bool
    value: float
    table: pl.DataFrame | None
    queries: int | None
    authors: int | None


def differences(given: Sequence[Given], measured: Sequence[Measured], seed: int) -> list[Difference]:
    """Return the differences about which something can be said, by score and split, better models first."""
    found: list[Difference] = []
    for (score, split), systems in _systems(given, measured).items():
        systems.sort(key=lambda one: (one.row, one.value if score in LOWER_IS_BETTER else -one.value))
        pairs = [(one, other) for one, other in combinations(range(len(systems)), 2) if not systems[one].row]
        known = _bounded(score, systems, pairs) | _paired(score, systems, pairs, seed)
        least, most = (holm(np.array([of[side] for of in known.values()])) for side in (-2, -1))
        for at, ((one, other), (difference, low, high, *_)) in enumerate(known.items()):
            sure, unsure = most[at] < LEVEL, least[at] >= LEVEL
            found.append(
                {
                    "score": score, "split": split, "model": systems[one].name, "other": systems[other].name,
                    "row": systems[other].row, "difference": difference, "low": low, "high": high,
                    "p_least": float(least[at]), "p_most": float(most[at]),
                    "verdict": SEPARABLE if sure else NOT_SEPARABLE if unsure else OPEN,
                }
            )  # fmt: skip
    return found


def _systems(given: Sequence[Given], measured: Sequence[Measured]) -> Mapping[tuple[str, str | None], list[_System]]:
    found: dict[tuple[str, str | None], list[_System]] = defaultdict(list)
    for one in given:
        parts = parts_of(one, measured) if one.split in {None, *(part.split for part in measured)} else []
        sizes = one.queries, one.queries
        for part in parts:
            sizes = (None, None) if "of" in part.about else (part.about.get("queries"), part.about.get("authors"))
        place = found[one.score, one.split]
        if not place:
            place += [
                _System(row["row"], True, row["scores"][one.score]["value"], part.tables.get(row["row"]), *sizes)
                for part in parts for row in part.rows if row["shortcut"] and one.score in row["scores"]
            ]  # fmt: skip
        place.append(_System(one.model, False, one.value, one.table, *sizes))
    return found


_Known = dict[tuple[int, int], tuple[float, float | None, float | None, float, float]]


def _bounded(score: str, systems: Sequence[_System], pairs: Sequence[tuple[int, int]]) -> _Known:
    """Return of each pair of shares the difference, no interval, and the bounds of p.

    Queries of an author may be alike: the highest p counts as many queries as authors.
    """
    found: _Known = {}
    for pair in pairs if score in _SHARES else ():
        one, other = (systems[at] for at in pair)
        in_range = min(one.value, other.value) >= 0 and max(one.value, other.value) <= 1
        if in_range and one.queries and one.authors and one.queries == other.queries:
            least = bounds_of_p(one.value, other.value, one.queries)[0]
            most = bounds_of_p(one.value, other.value, one.authors)[1]
            found[pair] = one.value - other.value, None, None, least, max(least, most)
    return found


def bounds_of_p(one: float, other: float, queries: int) -> tuple[float, float]:
    """Return the least and the highest p of two shares of the same queries that differ.

    >>> [round(p, 3) for p in bounds_of_p(0.5, 0.4, 100)], bounds_of_p(0.5, 0.5, 100)
    ([0.002, 0.343], (1.0, 1.0))
    """
    from scipy.special import bdtr

    a, b = round(one * queries), round(other * queries)
    apart = abs(a - b)
    least, most = (
        min(1.0, 2 * float(bdtr((disagreeing - apart) // 2, disagreeing, 0.5))) if apart else 1.0
        for disagreeing in (apart, min(a + b, 2 * queries - a - b))
    )
    return least, most


def _paired(score: str, systems: Sequence[_System], pairs: Sequence[tuple[int, int]], seed: int) -> _Known:
    """Return of each pair with the same queries the mean difference over authors, its interval and, twice, its p."""
    tables = [None if one.table is None or score not in one.table.columns else one.table for one in systems]
    first = next((table for table in tables if table is not None), None)
    if first is None:
        return {}
    same = {at for at, table in enumerate(tables) if table is not None and table["id"].equals(first["id"])}
    chosen = [pair for pair in pairs if same.issuperset(pair)]
    if not chosen:
        return {}
    values = {
        at: headline.values_of(table, score) for at, table in enumerate(tables) if at in same and table is not None
    }
    authors = headline.Authors.of(first, seed)
    counts = headline.counts_of(first, score) if score in COUNTS else np.ones(first.height)
    apart = np.array([values[one] - values[other] for one, other in chosen])
    means = headline.means_of_authors(apart, counts, authors, np.ones(first.height, bool))
    if len(means.present) < headline.LEAST_QUERY_AUTHORS:
        return {}
    p = p_of_paired_means(means.values, means.names(authors), seed)
    limits = [interval(column) or (None, None) for column in means.replicates(authors).T]
    return {
        pair: (float(mean), *between, float(one), float(one))
        for pair, mean, between, one in zip(chosen, means.values.mean(axis=1), limits, p, strict=True)
    }
