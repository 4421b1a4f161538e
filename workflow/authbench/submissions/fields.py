"""Name the files of a submission, and the four fields that its author fills in."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from authbench.errors import InputError
from authbench.format.scores import Scores

DESCRIPTION = "submission.json"
SCORES, QUERIES, PAIRS, RELEASED = "scores.json", "queries.parquet", "pairs.parquet", "released_pairs.parquet"
FILES = (DESCRIPTION, SCORES, QUERIES, PAIRS, RELEASED)  # in this order
FORMAT = 1
MOST_LETTERS = 1_000  # of a field


@dataclass(frozen=True)
class Fields:
    """Hold the fields of a submission.

    Attributes:
        name: the model's name on the board.
        model: where others find it: a name on Hugging Face, or an address.
        command: produces the scores.
        contributor: the person responsible.
    """

    name: str
    model: str
    command: str
    contributor: str

    def as_dict(self) -> dict[str, str]:
        return asdict(self)

    @property
    def empty(self) -> list[str]:
        """Return the empty fields."""
        return [name for name, value in self.as_dict().items() if not value]

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any], place: str) -> "Fields":
        """Return the fields of a submission. Raises InputError if one is absent, not text, or too long."""
        for name in (field.name for field in fields(cls)):
            value = plain.get(name)
            if not isinstance(value, str) or len(value) > MOST_LETTERS or not value.isprintable():
                raise InputError(
                    f"{place}: the field {name} is {value!a:.40}. Expected a line of at most {MOST_LETTERS} letters."
                )
        return cls(**{field.name: plain[field.name] for field in fields(cls)})


def proposed(scores: Scores) -> Fields:
    """Return the fields that the scores of a model can fill."""
    model, benchmark, settings = scores["model"], scores["benchmark"], scores["settings"]
    parameters = model.get("parameters")
    checkpoint = parameters.get("checkpoint") if isinstance(parameters, Mapping) else None
    on_the_hub = isinstance(checkpoint, str) and bool(scores.get("made_by", {}).get("commit"))
    seed = f" --seed {settings['seed']}"
    command = f"authbench evaluate RELEASE_DIR --model {model['name']} --split {benchmark['split']}{seed} --out scores"
    return Fields(str(model["name"]), str(checkpoint) if on_the_hub else "", command, "")
