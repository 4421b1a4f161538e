"""What do several verifiers say together?

The plain mean of their scores, as the overview's meta system.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from authbench.arrays import F64
from authbench.verifiers import Bench, Kind, kind
from authbench.verifiers.registry import find_verifier


class Member(NamedTuple):
    kind: Kind
    state: Any


def fit(train: pl.DataFrame, parameters: Mapping[str, Any], bench: Bench) -> list[Member]:
    members = []
    for name in parameters["members"]:
        found = find_verifier(name)
        steps = kind(found.kind)
        members.append(
            Member(steps, steps.fit(train, found.parameters, replace(bench, folder=bench.folder / found.name)))
        )
    return members


def calibrate(fitted: list[Member], held_out: pl.DataFrame) -> list[Member]:
    return [Member(member.kind, member.kind.calibrate(member.state, held_out)) for member in fitted]


def predict(fitted: list[Member], pairs: pl.DataFrame) -> F64:
    found: F64 = np.mean([member.kind.predict(member.state, pairs) for member in fitted], axis=0)
    return found
