"""Run a verifier of an installed package: an object with the functions `fit`, `calibrate` and `predict`."""

from typing import Any, NamedTuple

import numpy as np
import polars as pl

from authbench.config.plugins import PlugIn, called, find_plugin, load_plugin, unusable
from authbench.core.arrays import F64
from authbench.scoring.verifiers import Bench
from authbench.scoring.verifiers.parameters import PluginParameters

_EXPECTED = (
    "an object with fit(train, bench), calibrate(fitted, held_out) and predict(fitted, pairs), which returns a finite "
    "number for each pair"
)


class _Fitted(NamedTuple):
    plugin: PlugIn
    steps: Any
    state: object


def fit(train: pl.DataFrame, parameters: PluginParameters, bench: Bench) -> _Fitted:
    plugin = find_plugin("verifiers", parameters.plugin)
    steps = load_plugin(plugin)
    return _Fitted(plugin, steps, called(plugin, _EXPECTED, lambda: steps.fit(train, bench)))


def calibrate(fitted: _Fitted, held_out: pl.DataFrame) -> _Fitted:
    plugin, steps, state = fitted
    return _Fitted(plugin, steps, called(plugin, _EXPECTED, lambda: steps.calibrate(state, held_out)))


def predict(fitted: _Fitted, pairs: pl.DataFrame) -> F64:
    """Return the scores, shape (pairs,). Raises InputError if they are not a finite number for each pair."""
    plugin, steps, state = fitted
    scores: F64 = called(plugin, _EXPECTED, lambda: np.asarray(steps.predict(state, pairs), np.float64))
    if scores.shape != (pairs.height,) or not np.isfinite(scores).all():
        raise unusable(plugin, f"returned shape {scores.shape} for {pairs.height} pairs, or no numbers", _EXPECTED)
    return scores
