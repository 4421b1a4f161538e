"""Average the scores of several verifiers, as the PAN overview's meta system does."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl

from authbench.config.registry.load import load_entry
from authbench.core.arrays import F64
from authbench.scoring.verifiers import Bench, Kind, kind
from authbench.scoring.verifiers.parameters import EnsembleParameters
from authbench.scoring.verifiers.requested import VERIFIERS


class _Member(NamedTuple):
    kind: Kind
    state: object


def fit(train: pl.DataFrame, parameters: EnsembleParameters, bench: Bench) -> list[_Member]:
    members = []
    for name in parameters.members:
        found = load_entry(VERIFIERS, name)
        steps = kind(found.kind)
        members.append(
            _Member(steps, steps.fit(train, found.parameters, replace(bench, folder=bench.folder / found.name)))
        )
    return members


def calibrate(fitted: list[_Member], held_out: pl.DataFrame) -> list[_Member]:
    return [_Member(member.kind, member.kind.calibrate(member.state, held_out)) for member in fitted]


def predict(fitted: list[_Member], pairs: pl.DataFrame) -> F64:
    """Return the mean of the members' scores, shape (pairs,)."""
    return np.asarray(np.mean([member.kind.predict(member.state, pairs) for member in fitted], axis=0))
