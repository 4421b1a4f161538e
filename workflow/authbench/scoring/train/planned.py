"""Plan the trainings of a build, and the resulting models, before it runs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from authbench.models.entries import ModelEntry, with_tuned_checkpoint


def tuned_name(model: str, seed: int) -> str:
    """Return the name of a tuned model.

    >>> tuned_name("e5", 0)
    'e5-seed-0'
    """
    return f"{model}-seed-{seed}"


@dataclass(frozen=True)
class Training:
    """Name a model to start from, and the seed of its training."""

    model: ModelEntry
    seed: int


def planned_trainings(models: Iterable[ModelEntry], seeds: int) -> dict[str, Training]:
    """Return trainings by the names of the resulting models."""
    return {tuned_name(model.name, seed): Training(model, seed) for model in models for seed in range(seeds)}


def with_tuned(
    models: Mapping[str, ModelEntry], trainings: Mapping[str, Training], folder: str
) -> dict[str, ModelEntry]:
    """Return models by name with the trained ones, before and after training; their training data are not yet known."""
    before = {training.model.name: training.model for training in trainings.values()}
    after = {
        name: replace(with_tuned_checkpoint(training.model, f"{folder}/{name}"), name=name)
        for name, training in trainings.items()
    }
    return {**models, **before, **after}
