"""What may a run of RAVEN be asked?"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from authbench.errors import InputError
from authbench.models.registry import MODELS
from authbench.raven.vectors import expect_encoder
from authbench.registry.entries import read_yaml, schema_problems
from authbench.shipped import shipped
from authbench.verifiers.registry import Verifier, find_verifier

SCHEMA = shipped("schemas/config.schema.yaml")


def wrong_with(settings: Mapping[str, Any], root: Path) -> Iterator[str]:
    """Everything about the section `raven` that keeps it from running, in words; paths are relative to `root`."""
    smallest = min([settings["topics"], *settings["sizes"]])
    if settings["folds"] > smallest:
        yield f"raven.folds: {settings['folds']} folds of {smallest} topics; expected a topic for each fold"
    if settings["folds"] == smallest == 2:
        yield "raven.folds: 2 folds of 2 topics leave none to calibrate on; expected more topics"
    for place, names, find in (
        ("encoders", settings["encoders"], lambda name: expect_encoder(own(name, root), MODELS)),
        ("verifiers", settings["verifiers"], lambda name: find_verifier(own(name, root))),
    ):
        for name in names:
            try:
                find(name)
            except InputError as problem:
                yield f"raven.{place}: {problem}"


def verifiers_of(settings: Mapping[str, Any], root: Path) -> dict[str, Verifier]:
    """The verifiers that are asked for, by name."""
    found = [find_verifier(own(name, root)) for name in settings["verifiers"]]
    return {verifier.name: verifier for verifier in found}


def of_arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """The section `raven` of config/config.yaml with what a command line says instead. Raises InputError where it
    cannot be run."""
    settings: dict[str, Any] = read_yaml(shipped("config/config.yaml"))["raven"]
    names = {"verifier": "verifiers", "encoder": "encoders"}
    said = {names.get(name, name): value for name, value in given.items() if value is not None}
    settings |= {name: value for name, value in said.items() if name in settings}
    problems = [problem for section, problem in schema_problems({"raven": settings}, SCHEMA) if section == "raven"]
    if not problems:
        problems = list(wrong_with(settings, Path()))
    if problems:
        raise InputError("\n".join(problems))
    return settings


def own(name: str, root: Path) -> str:
    """A name of the registry, or the path of a page of one's own, which is relative to `root`."""
    return str(root / name) if name.endswith((".yaml", ".yml")) else name
