"""Settings of a training and their defaults."""

from dataclasses import dataclass

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
