"""Calibrate a verifier on half of a population's authors, validate it on the other half, and weigh cases with it.

The verifier learns from a quarter of the authors, and a logistic curve is fitted on the ranks of its scores of another
quarter; then the other way round. The log10 likelihood ratio is the mean of the two, whose difference shows how much
the choice of the population matters. It is bounded: with a probability of at most 1 / n does a pair by two authors have
a ratio of n or more, so n such pairs support no ratio above n.
"""

import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from authbench.audit.case.population import FIRST, HELD, SECOND
from authbench.core.arrays import BOOL, F32, F64
from authbench.scoring.metrics.bootstrap import author_weights, interval, intervals, weighted_means
from authbench.scoring.metrics.forensic import best_ratios, calibrated_by, cllr
from authbench.scoring.verifiers import Bench, Learnt, learnt
from authbench.scoring.verifiers.requested import VerifierEntry

WORST = 0.05  # Cllr above its minimum from which a verifier is not calibrated
# The least ratio of each verbal equivalent (ENFSI's guideline for evaluative reporting, 2015).
SCALE = ((1e6, "extremely strong"), (1e4, "very strong"), (1e3, "strong"), (1e2, "moderately strong"),
         (1e1, "moderate"), (2.0, "weak"))  # fmt: skip
Interval = tuple[float, float] | None


class Validation(NamedTuple):
    """How a verifier does on the authors held out; ratios are decimal logarithms.

    Attributes:
        bounds: the least and the largest ratio that it supports.
        level: whether the scores of a quarter do not rise with one author, so that its ratios are 1.
        misleading: by kind of pairs, the share beyond 0 on the wrong side, and the share beyond 1 there.
        pairs: `id`, `same`, `log10_lr`.
    """

    bounds: tuple[float, float]
    level: bool
    cllr: float
    cllr_interval: Interval
    cllr_min: float
    cllr_min_interval: Interval
    misleading: dict[str, tuple[float, float]]
    pairs: pl.DataFrame

    @property
    def calibrated(self) -> bool:
        return not self.level and self.cllr <= self.cllr_min + WORST


class Ratio(NamedTuple):
    """The decimal logarithm of a case's likelihood ratio.

    Attributes:
        interval: by a bootstrap over the authors that calibrate it.
        halves: by either quarter of the authors, not bounded.
        bounded: whether it would be beyond the bounds.
    """

    value: float
    interval: Interval
    halves: tuple[float, float]
    bounded: bool


def verbal(ratio: float) -> str:
    """Return the verbal equivalent of a decimal log likelihood ratio.

    >>> verbal(0.2), verbal(-1.5)
    ('no support for either', 'moderate support for different writers')
    """
    for least, strength in SCALE:
        if abs(ratio) >= np.log10(least):
            return f"{strength} support for {'the same writer' if ratio > 0 else 'different writers'}"
    return "no support for either"


def weigh(
    verifier: VerifierEntry, drawn: pl.DataFrame, cases: pl.DataFrame, seed: int
) -> tuple[Validation, list[Ratio], list[Learnt]]:
    """Return how a verifier does on a population, the ratio of each case, and the verifier by each quarter.

    Args:
        drawn: the result of `population.draw`.
        cases: `id`, `text1` (known), `text2` (questioned), `lang`, all of which resemble the drawn pairs.
    """
    from threadpoolctl import threadpool_limits  # scikit-learn brings it

    own = {part: drawn.filter(part=part).drop("part") for part in (FIRST, SECOND, HELD)}
    held = own[HELD]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:

        def scored(learns: str, apart: str) -> tuple[F64, F64, Learnt]:
            bench = Bench(seed, Path(folder) / learns)
            asked = pl.concat([one.select(cases.columns) for one in (own[apart], held, cases)])
            by = learnt(verifier, own[learns], own[learns], bench)
            found = by(asked)["value"].to_numpy()
            return found[: own[apart].height], found[own[apart].height :], by

        halves = [*pool.map(scored, (FIRST, SECOND), (SECOND, FIRST))]
    sides = [(own[apart], known, new) for apart, (known, new, _) in zip((SECOND, FIRST), halves, strict=True)]
    either = np.stack([_calibrated(pairs["same"].to_numpy(), known, new) for pairs, known, new in sides])
    with threadpool_limits(1):  # thousands of small fits: more threads only wait for each other
        replicates = np.mean([list(_replicates(*side, seed)) for side in sides], axis=0)[:, held.height :]
    validation = _validated(held, either[:, : held.height], seed)
    ratios = [
        Ratio(
            float(np.clip(halves.mean(), *validation.bounds)),
            interval(np.clip(repeated, *validation.bounds)),
            (float(halves[0]), float(halves[1])),
            not validation.bounds[0] <= halves.mean() <= validation.bounds[1],
        )
        for halves, repeated in zip(either[:, held.height :].T, replicates.T, strict=True)
    ]
    return validation, ratios, [by for _, _, by in halves]


def _calibrated(truth: BOOL, known: F64, new: F64) -> F64:
    found: F64 = calibrated_by(truth, known, new) / np.log(10)
    return found


def _replicates(pairs: pl.DataFrame, known: F64, new: F64, seed: int) -> Iterator[F64]:
    """Yield the ratios of new scores by the curve of each bootstrap replicate of the pairs."""
    truth, every = pairs["same"].to_numpy(), np.arange(pairs.height)
    for times in _times(pairs, seed).astype(np.int64):
        rows = np.repeat(every, times)
        yield _calibrated(truth[rows], known[rows], new)


def _validated(held: pl.DataFrame, either: F64, seed: int) -> Validation:
    """Return the validation by the ratios of both quarters, shape (2, pairs held out)."""
    truth, free = held["same"].to_numpy(), either.mean(axis=0)
    bounds = -float(np.log10(truth.sum())), float(np.log10((~truth).sum()))
    ratios = np.clip(free, *bounds)
    natural = ratios * np.log(10)
    best = best_ratios(truth, ratios)
    lost = np.logaddexp(0, np.where(truth, -1, 1) * np.stack([natural, best])).T / np.log(2)
    times = _times(held, seed)
    sides = [weighted_means(times, lost * own, own) for own in (truth[:, None], ~truth[:, None])]
    repeated = intervals((sides[0] + sides[1]) / 2)
    return Validation(
        bounds,
        not either.any(axis=1).all(),
        cllr(truth, natural),
        repeated[0],
        cllr(truth, best),
        repeated[1],
        {
            "one author": (float((ratios[truth] < 0).mean()), float((ratios[truth] < -1).mean())),
            "two authors": (float((ratios[~truth] > 0).mean()), float((ratios[~truth] > 1).mean())),
        },
        held.select("id", "same", pl.Series("log10_lr", ratios)),
    )


def _times(pairs: pl.DataFrame, seed: int) -> F32:
    """Return how often a pair is in each bootstrap replicate over authors: as often as its authors, multiplied.

    Returns:
        Shape (replicates, pairs).
    """
    authors = tuple(sorted({*pairs["author1"], *pairs["author2"]}))
    place = {author: at for at, author in enumerate(authors)}
    one, other = ([place[author] for author in pairs[side]] for side in ("author1", "author2"))
    weights = author_weights(authors, seed)
    return weights[:, one] * np.where(pairs["same"], np.float32(1), weights[:, other])
