"""Load the verifier that a user names: an entry of verifiers, or any model, used by its cosine."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

from authbench.config.plugins import find_plugin, plugin_names
from authbench.config.registry.checks import expect_distinct_names
from authbench.config.registry.load import EntryKind, is_path, list_entries, load_each, load_entry, stated_kind
from authbench.config.registry.typed_schema import COMPUTED, schema_of_kinds
from authbench.config.settings.values import Text
from authbench.core.errors import InputError
from authbench.core.json_values import JsonMapping, JsonObject
from authbench.core.words import nearest
from authbench.models.entries import expect_vectors
from authbench.models.parameters import KINDS as MODEL_KINDS
from authbench.models.requested import load_model, names_model
from authbench.scoring.verifiers.parameters import KINDS, EncoderParameters, Parameters, PluginParameters, parameters_of


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

    def as_dict(self) -> JsonObject:
        """Return the entry as plain values, from which `from_dict` restores it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, plain: JsonMapping) -> "VerifierEntry":
        return cls(**{**plain, "parameters": parameters_of(plain["kind"], plain["parameters"])})


def _build(name: str, entry: JsonMapping, path: Path) -> VerifierEntry:
    parameters = parameters_of(entry["kind"], entry.get("parameters", {}))
    if isinstance(parameters, PluginParameters):
        parameters = _plugged(parameters.plugin)
    return VerifierEntry(name, entry["title"], entry["kind"], parameters)


def _plugged(name: str) -> PluginParameters:
    plugin = find_plugin("verifiers", name)
    return PluginParameters(name, f"{plugin.package} {plugin.version}", plugin.code_sha256)


VERIFIERS = EntryKind("verifier", "verifiers", partial(schema_of_kinds, VerifierEntry, KINDS), _build)


def load_verifier(requested: str, base: Path = Path()) -> VerifierEntry:
    """Return the verifier of this name, file or plug-in, or the cosine verifier of this model (`models.requested`).

    Raises:
        InputError: neither exists, or the model gives a text no vector.
    """
    if requested in list_entries(VERIFIERS, base):
        return load_entry(VERIFIERS, requested, base)
    plugins = plugin_names("verifiers")
    if requested in plugins:
        plugin = _plugged(requested)
        return VerifierEntry(requested, f"{requested} of {plugin.package}", "plugin", plugin)
    if not _is_model(requested, base):
        try:
            return load_entry(VERIFIERS, requested, base)
        except InputError as problem:
            raise InputError(f"{problem}{nearest(requested, plugins)}") from None
    model = load_model(requested, base)
    expect_vectors(model)
    if model.parameters.reads_metadata:
        raise InputError(f"{model.name}: reads a text's language or source, which pairs do not have. Name another.")
    parameters = EncoderParameters(requested, fine_tune=False)
    return VerifierEntry(model.name, f"cosine of {model.title}", "model", parameters)


def load_verifiers(requested: Iterable[str], base: Path = Path()) -> list[VerifierEntry]:
    """Return verifiers in the order of the requests.

    Raises:
        InputError: the problems of all requests, or that two share a name.
    """
    verifiers = load_each(lambda one: load_verifier(one, base), requested)
    expect_distinct_names("--verifier", "verifiers", (verifier.name for verifier in verifiers))
    return verifiers


def controls(verifiers: Iterable[VerifierEntry], base: Path = Path()) -> list[str]:
    """Return the names of verifiers that use a model without style (`ModelEntry.shortcut`)."""
    used = {one.name: one.parameters for one in verifiers if isinstance(one.parameters, EncoderParameters)}
    return [name for name, own in used.items() if load_model(own.model, base).shortcut]


def files_behind(verifier: VerifierEntry, base: Path = Path()) -> list[str]:
    """Return the user's files that a verifier reads (`ModelEntry.files`)."""
    if not isinstance(verifier.parameters, EncoderParameters):
        return []
    return load_model(verifier.parameters.model, base).files


def _is_model(requested: str, base: Path) -> bool:
    if is_path(requested):
        return stated_kind(requested, base) in MODEL_KINDS
    return names_model(requested, base)
