"""Load the encoder of topics: a model of the registry, or a topic model."""

from dataclasses import dataclass
from pathlib import Path

from authbench.core.json_values import JsonMapping, JsonObject
from authbench.models.entries import ModelEntry, expect_vectors
from authbench.models.requested import load_model

TOPIC_MODELS = ("nmf", "lda")


@dataclass(frozen=True)
class TopicEncoder:
    """An encoder; `name` also names its files, and `model` is None for a topic model."""

    name: str
    model: ModelEntry | None = None

    @property
    def files(self) -> list[str]:
        """Return the user's files that the encoder reads."""
        return self.model.files if self.model else []

    def as_dict(self) -> JsonObject:
        """Return the encoder as plain values, the input of `from_dict`."""
        return {"name": self.name, "model": self.model and self.model.as_dict()}

    @classmethod
    def from_dict(cls, plain: JsonMapping) -> "TopicEncoder":
        return cls(plain["name"], plain["model"] and ModelEntry.from_dict(plain["model"]))


def load_encoder(requested: str, base: Path = Path()) -> TopicEncoder:
    """Return an encoder by name, or by a request for a model (`models.requested`).

    Raises:
        InputError: the encoder does not exist, or gives no vector per text.
    """
    if requested in TOPIC_MODELS:
        return TopicEncoder(requested)
    model = load_model(requested, base)
    expect_vectors(model)
    return TopicEncoder(model.name, model)
