"""Check the settings of a RAVEN run, and load its verifiers."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

from authbench.config.registry.checks import same_names
from authbench.config.registry.entries import default_settings, section_problems
from authbench.config.settings.evaluate import Raven
from authbench.core.errors import InputError
from authbench.scoring.verifiers.requested import VerifierEntry, load_verifier
from authbench.suites.raven.encoders import load_encoder


def settings_problems(settings: Raven, base: Path = Path()) -> Iterator[str]:
    """Yield the problems of settings; paths of entries are relative to `base`."""
    folds, smallest = settings["folds"], min([settings["topics"], *settings["sizes"]])
    if folds > smallest:
        yield f"raven.folds: {folds} folds of {smallest} topics; expected a topic for each fold"
    if folds == smallest == 2:
        yield "raven.folds: 2 folds of 2 topics leave none to calibrate on; expected more topics"
    for key, requested, load, what in (
        ("encoders", settings["encoders"], load_encoder, "models"),
        ("verifiers", settings["verifiers"], load_verifier, "verifiers"),
    ):
        names = []
        for name in requested:
            try:
                names.append(load(name, base).name)
            except InputError as problem:
                yield f"raven.{key}: {problem}"
        yield from same_names(f"raven.{key}", what, names)


def load_verifiers(settings: Raven, base: Path = Path()) -> dict[str, VerifierEntry]:
    """Return the verifiers of a run by name."""
    found = [load_verifier(name, base) for name in settings["verifiers"]]
    return {verifier.name: verifier for verifier in found}


def from_arguments(given: Mapping[str, object]) -> Raven:
    """Return the default settings updated from the command line. Raises InputError if they are invalid."""
    section: dict[str, object] = {**default_settings()["raven"]}
    plural = {"verifier": "verifiers", "encoder": "encoders"}
    values = {plural.get(name, name): value for name, value in given.items() if value is not None}
    section |= {name: value for name, value in values.items() if name in section}
    if problems := section_problems("raven", section) or list(settings_problems(cast(Raven, section))):
        raise InputError("\n".join(problems))
    return cast(Raven, section)
