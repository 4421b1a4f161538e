"""Settings of a training, their defaults, and the columns of its curves."""

from dataclasses import dataclass

import polars as pl

CURVES = pl.Schema({"seed": pl.Int64, "step": pl.Int64, "loss": pl.Float64, "success@5": pl.Float64, "eer": pl.Float64})
SEEDS = 3  # trainings of a model, each with a random seed of its own


@dataclass(frozen=True)
class TrainSettings:
    """Settings of one training.

    Args:
        epochs: passes over the authors, each with one pair of texts per author.
        batch: pairs per step; the other texts of a batch are the negatives.
        learning_rate: peak learning rate after the warm-up.
        evaluations: how often the dev split is scored, at even distances.
    """

    epochs: int = 1
    batch: int = 32
    learning_rate: float = 2e-5
    evaluations: int = 10
