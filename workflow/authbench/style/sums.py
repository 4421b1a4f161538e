"""Compute 95 % intervals and chance levels of aggregates.

An aggregate is a mean of means of scores and thus linear: a score's weight is the aggregate's value if this score is 1
and all others are 0. Scores of one dataset share texts, so their errors are assumed fully correlated; errors of
different datasets are assumed independent. Intervals are therefore rather too wide than too narrow. Datasets are not
resampled, and their clusters are fixed.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import polars as pl

from authbench.arrays import F64
from authbench.style.scores import Figures

NORMAL = 1.959964  # half-width of a 95 % interval in standard errors
Key: TypeAlias = tuple[str, str]  # task or DISTRACTOR, dataset
Make: TypeAlias = Callable[[Mapping[str, Figures]], pl.DataFrame]
Interval: TypeAlias = tuple[float, float]


def weights(make: Make, keys: Sequence[Key]) -> dict[str, F64]:
    """Return the weight of each score in each column of an aggregate.

    Args:
        make: the aggregate of models: a row per model, in their order, with `model` and columns.
        keys: the scores that every model has.

    Returns:
        By column, shape (keys,).
    """
    alone = {str(at): {key: float(place == at) for place, key in enumerate(keys)} for at in range(len(keys))}
    frame = make(alone) if keys else pl.DataFrame()
    return {name: frame[name].to_numpy().astype(np.float64) for name in frame.columns if name != "model"}


def intervals(
    make: Make, models: Mapping[str, Figures], limits: Mapping[str, Mapping[Key, Sequence[float] | None]]
) -> dict[tuple[str, str], Interval]:
    """Return the interval of each aggregate by model and column; none if one of its scores has no interval."""
    keys = common(models)
    datasets = np.unique([dataset for _, dataset in keys], return_inverse=True)[1]
    shares, found = weights(make, keys), {}
    for model, sums in zip(models, make(models).iter_rows(named=True), strict=True):
        errors = np.array([_error(models[model][key], limits[model].get(key)) for key in keys])
        for column, share in shares.items():
            used = share != 0
            together = np.bincount(datasets[used], np.abs(share[used]) * errors[used])
            width = NORMAL * float(np.sqrt((together**2).sum()))
            if sums[column] is not None and np.isfinite(width):
                found[model, column] = (max(0.0, sums[column] - width), min(1.0, sums[column] + width))
    return found


def by_chance(
    make: Make, models: Mapping[str, Figures], chances: Mapping[Key, float | None]
) -> dict[str, float | None]:
    """Return the chance level of each column of an aggregate; None if a score's chance level is unknown."""
    keys = common(models)
    known = np.array([np.nan if chances.get(key) is None else chances[key] for key in keys], np.float64)
    found: dict[str, float | None] = {}
    for column, share in weights(make, keys).items():
        value = float(share[share != 0] @ known[share != 0])
        found[column] = value if np.isfinite(value) else None
    return found


def common(models: Mapping[str, Figures]) -> list[Key]:
    """Return the scores that every model has; aggregates use only these."""
    return sorted(set.intersection(*(set(one) for one in models.values()))) if models else []


def _error(value: float, limits: Sequence[float] | None) -> float:
    """Return the standard error of an interval from its wider half: limits are clipped at 0 and 1."""
    return float("nan") if limits is None else max(value - limits[0], limits[1] - value, 0.0) / NORMAL
