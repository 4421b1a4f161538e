"""The trainings of a build, known before anything runs, and the models that they give."""

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
    """A model to start from, and the seed of its training."""

    model: ModelEntry
    seed: int


def planned_trainings(models: Iterable[ModelEntry], seeds: int) -> dict[str, Training]:
    """Return trainings by the names of the models that they give."""
    return {tuned_name(model.name, seed): Training(model, seed) for model in models for seed in range(seeds)}


def with_tuned(
    models: Mapping[str, ModelEntry], trainings: Mapping[str, Training], folder: str
) -> dict[str, ModelEntry]:
    """Return models by name with those that are trained, before and after; what they have seen is not yet known.

    Args:
        models: those evaluated in any case.
        trainings: by the names of what they give.
        folder: where tuned checkpoints are.
    """
    before = {training.model.name: training.model for training in trainings.values()}
    after = {
        name: replace(with_tuned_checkpoint(training.model, f"{folder}/{name}"), name=name)
        for name, training in trainings.items()
    }
    return {**models, **before, **after}
