"""Settings of a training and their defaults."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

SEEDS = 3  # trainings of a model, each with a random seed of its own
NEGATIVES = ("matched", "batch")
PRECISIONS = ("entry", "float32", "bfloat16", "float16")


@dataclass(frozen=True)
class TrainSettings:
    """Settings of one training.

    Args:
        epochs: passes over the authors, each with one pair of texts per author.
        batch: pairs per step; the other texts of a batch are negatives.
        learning_rate: peak learning rate after the warm-up.
        evaluations: how often the dev split is scored, and a checkpoint is written, at even distances.
        negatives: matched adds to each pair a text by somebody else that is like the positive in language, source,
            genre and length; batch has those of the batch alone.
        precision: what the forward pass is computed in; weights and the optimiser's state are always in float32.
            entry: the dtype of the model's entry.
        max_tokens: tokens of a text that are trained on; None: as many as the model's entry says.
    """

    epochs: int = 1
    batch: int = 32
    learning_rate: float = 2e-5
    evaluations: int = 10
    negatives: str = "matched"
    precision: str = "entry"
    max_tokens: int | None = None

    @classmethod
    def from_section(cls, section: Mapping[str, Any]) -> "TrainSettings":
        """Return the settings of a training among those of the section `train` of a configuration."""
        return cls(**{field.name: section[field.name] for field in fields(cls)})

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)
