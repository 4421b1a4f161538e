"""YAML files and the schemas that they have to fit."""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from authbench.errors import InputError
from authbench.registry.typed_schema import schema_of
from authbench.registry.values import Problem, value_problems
from authbench.registry.violations import violations
from authbench.registry.yaml_lines import syntax_problem
from authbench.registry.yaml_shape import shape_problem
from authbench.storage.yaml_loader import FAST_LOADER

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

Settings = dict[str, Any]
Schema = Path | type  # a file, or a type from which a schema follows


def read_yaml(path: Path) -> Settings:
    """Return the mapping that a YAML file holds. Raises InputError where it holds none."""
    try:
        text = path.read_text(encoding="utf-8")
        if problem := shape_problem(text):
            raise InputError(f"{path} is {problem}. Expected settings or an entry.")
        value = yaml.load(text, FAST_LOADER)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: not UTF-8, or a day that no month has
        raise InputError(syntax_problem(path, error)) from None
    if not isinstance(value, dict):
        raise InputError(f"{path}: expected a mapping of keys to values, found {type(value).__name__}")
    return value


def schema_problems(value: Mapping[str, object], schema: Schema) -> Iterator[Problem]:
    """Yield the top-level key and the description of every violation of a schema.

    A section with a value that no setting can have (`values.value_problems`) is not compared with the schema.
    """
    unusable = list(value_problems(value))
    yield from unusable
    sections = {section for section, _ in unusable}
    usable = {key: inner for key, inner in value.items() if isinstance(key, str) and key not in sections}
    for section, problem in violations(_validator(schema).iter_errors(usable)):
        if section not in sections:  # as where a key is absent that has such a value
            yield section, problem


def refused_texts(value: Mapping[str, object], schema: Schema) -> list[tuple[str | int, ...]]:
    """Return the places of the texts that a schema refuses, as the keys and numbers that lead to them."""
    errors = _validator(schema).iter_errors(value)
    return [tuple(error.absolute_path) for error in errors if isinstance(error.instance, str)]


def with_defaults(value: Mapping[str, object], schema_path: Path) -> Settings:
    """Return a valid value with the schema's `default` of every key that it lacks, also below `allOf` and `$ref`.

    Keys with a default come first, in the order of the schema.
    """
    return _filled(value, _schema(schema_path), schema_path)


@cache
def _schema(schema: Schema) -> Settings:
    return read_yaml(schema) if isinstance(schema, Path) else schema_of(schema)


@cache
def _validator(schema: Schema) -> "Validator":
    from authbench.registry.validator import validator_of  # 0.1 s, in jobs that compare nothing with a schema

    return validator_of(_schema(schema))


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
