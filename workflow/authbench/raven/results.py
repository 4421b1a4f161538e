"""Hold the data of all tables of a RAVEN run: metadata of each subset (`layout.lay_out`), and scores of all folds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from authbench.raven.select import F64
from authbench.raven.stability import agreement_of_folds

Facts: TypeAlias = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Run:
    """Metadata of each subset, and fold scores with the columns `subset`, `verifier`, `fold` and one per measure."""

    facts: Facts
    scores: pl.DataFrame
    verifiers: Sequence[str]

    def of(self, subset: str, measure: str) -> F64:
        """Return the scores of a subset, shape (verifiers, folds); NaN where a fold has no score."""
        here = self.scores.filter(pl.col("subset") == subset)
        return np.array(
            [
                here.filter(pl.col("verifier") == verifier).sort("fold")[measure].fill_null(np.nan).to_numpy()
                for verifier in self.verifiers
            ],
            np.float64,
        )

    def random(self) -> list[str]:
        """Return the random subsets that verifiers ran on, by seed."""
        found = [(about["seed"], name) for name, about in self.facts.items() if about["how"] == "random"]
        return [name for _, name in sorted(found) if self.facts[name]["trained"]]

    def agreement(self, subsets: Sequence[str], measure: str) -> tuple[float, float]:
        """Return how well each subset's scored folds agree on the ranking of verifiers, and its variance."""
        scores = [self.of(subset, measure) for subset in subsets]
        return agreement_of_folds([one[:, ~np.isnan(one).any(axis=0)] for one in scores])
