"""YAML files and the schemas that they have to fit."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator

from authbench.errors import InputError

Settings = dict[str, Any]
# Every job reads the configuration anew; libyaml, where PyYAML was built with it, takes a tenth of the time.
FAST_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(path: Path) -> Settings:
    """Return the mapping that a YAML file holds. Raises InputError where it holds none."""
    try:
        value = yaml.load(path.read_text(encoding="utf-8"), FAST_LOADER)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except yaml.YAMLError as error:
        raise InputError(f"{path} is not valid YAML: {error}") from None
    if not isinstance(value, dict):
        raise InputError(f"{path}: expected a mapping of keys to values, found {type(value).__name__}")
    return value


def schema_problems(value: Settings, schema_path: Path) -> Iterator[tuple[str, str]]:
    """Yield the top-level key and the description of every violation of a schema."""
    for error in sorted(
        _validator(schema_path).iter_errors(value), key=lambda error: [str(part) for part in error.absolute_path]
    ):
        section = str(error.absolute_path[0]) if error.absolute_path else ""
        place = ".".join(str(part) for part in error.absolute_path) or "(top level)"
        if error.validator == "additionalProperties" and isinstance(error.schema.get("properties"), dict):
            known = list(error.schema["properties"])
            for key in sorted(set(error.instance) - set(known), key=str):
                yield section, f"{place}: unknown key '{key}'{did_you_mean(str(key), known)}"
        elif error.validator == "enum" and isinstance(error.instance, str):
            known = [str(choice) for choice in error.validator_value]
            choices = ", ".join(known)
            yield section, f"{place}: '{error.instance}' is not one of {choices}{did_you_mean(error.instance, known)}"
        else:
            yield section, f"{place}: {error.message}"


def with_defaults(value: Mapping[str, Any], schema_path: Path) -> Settings:
    """Return a valid value with the schema's `default` of every key that it lacks, also below `allOf` and `$ref`.

    Keys with a default come first, in the order of the schema.
    """
    return _filled(value, _schema(schema_path), schema_path)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the end of a message on an unknown word: the one that it resembles, or all that are known."""
    known = list(known)
    close = difflib.get_close_matches(word, known, 1)
    return f"; did you mean '{close[0]}'?" if close else f"; known: {', '.join(known)}"


@cache
def _schema(path: Path) -> Settings:
    return read_yaml(path)


@cache
def _validator(schema_path: Path) -> Draft202012Validator:
    return Draft202012Validator(_schema(schema_path))


def _filled(value: Mapping[str, Any], schema: Mapping[str, Any], schema_path: Path) -> Settings:
    filled = dict(value)
    for part in _applying(value, schema, schema_path):
        properties = {key: about for key, about in part.get("properties", {}).items() if isinstance(about, Mapping)}
        filled = {key: about["default"] for key, about in properties.items() if "default" in about} | filled
        for key, about in properties.items():
            if isinstance(filled.get(key), dict):
                filled[key] = _filled(filled[key], about, schema_path)
    return filled


def _applying(value: Mapping[str, Any], schema: Mapping[str, Any], schema_path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the schema, what it refers to, and the branches whose condition the value meets."""
    yield schema
    if "$ref" in schema:
        yield from _applying(value, _schema(schema_path)["$defs"][schema["$ref"].rpartition("/")[2]], schema_path)
    for branch in schema.get("allOf", ()):
        if _validator(schema_path).evolve(schema=branch["if"]).is_valid(value):
            yield from _applying(value, branch["then"], schema_path)
