"""Describe verifiers by config entries: config/verifiers/<name>.yaml, or a user's entry given by its path."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from authbench.registry.load import EntryKind
from authbench.registry.typed_schema import COMPUTED, schema_of_kinds
from authbench.settings.values import Text
from authbench.verifiers.parameters import KINDS, EncoderParameters, Parameters, parameters_of


@dataclass(frozen=True)
class VerifierEntry:
    """A verifier of the registry."""

    name: str = field(metadata=COMPUTED)
    title: Text
    kind: str
    parameters: Parameters = field(metadata=COMPUTED)  # by `kind`

    @property
    def shares_vectors(self) -> bool:
        """Whether its folder holds only vectors of texts, which serve any pairs."""
        return isinstance(self.parameters, EncoderParameters) and not self.parameters.fine_tune

    def as_dict(self) -> dict[str, Any]:
        """Return the entry as plain values, from which `from_dict` restores it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> "VerifierEntry":
        return cls(**{**plain, "parameters": parameters_of(plain["kind"], plain["parameters"])})


def _build(name: str, entry: Mapping[str, Any], path: Path) -> VerifierEntry:
    return VerifierEntry(name, entry["title"], entry["kind"], parameters_of(entry["kind"], entry.get("parameters", {})))


VERIFIERS = EntryKind("verifier", "verifiers", partial(schema_of_kinds, VerifierEntry, KINDS), _build)
