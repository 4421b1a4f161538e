"""The types of the settings are those that the schema of the configuration states."""

from collections.abc import Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from authbench.registry.entries import read_yaml
from authbench.settings.config import Config
from authbench.shipped import shipped

SCHEMA = read_yaml(shipped("schemas/config.schema.yaml"))
NAMES = {int: "integer", float: "number", bool: "boolean", str: "string", NoneType: "null"}


def of_type(kind: Any) -> set[Any]:
    """Return what values of a type may be: names of JSON types, the allowed words, or the types of items."""
    if get_origin(kind) in (Union, UnionType):
        return set().union(*map(of_type, get_args(kind)))
    if get_origin(kind) is Literal:
        return {("one of", word) for word in get_args(kind)}
    if is_typeddict(kind):
        return {("keys", tuple(sorted(get_type_hints(kind))))}
    if get_origin(kind) in (list, Sequence):
        return {("items", frozenset(of_type(get_args(kind)[0])))}
    if get_origin(kind) is Mapping:
        return {("values", frozenset(of_type(get_args(kind)[1])))}
    return {NAMES[kind]}


def of_schema(schema: Mapping[str, Any]) -> set[Any]:
    """Return the same of a part of the schema."""
    if "$ref" in schema:
        return of_schema(SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]])
    if "oneOf" in schema:
        return set().union(*map(of_schema, schema["oneOf"]))
    if "if" in schema:
        return of_schema({**schema["if"], **schema["then"]}) | of_schema(schema["else"])
    if "enum" in schema or "const" in schema:
        return {("one of", word) for word in schema.get("enum", [schema.get("const")])}
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    found: set[Any] = set(types) - {"array", "object"}
    if "array" in types:
        found.add(("items", frozenset(of_schema(schema["items"]))))
    if "object" in types and "properties" in schema:
        found.add(("keys", tuple(sorted(schema["properties"]))))
    elif "object" in types:
        found.add(("values", frozenset(of_schema(schema["additionalProperties"]))))
    return found


def disagreements(kind: Any, schema: Mapping[str, Any], place: str = "") -> list[str]:
    hints = get_type_hints(kind)
    found = [f"{place}{key}" for key in set(hints) ^ set(schema["properties"])]
    for key in set(hints) & set(schema["properties"]):
        part = schema["properties"][key]
        if is_typeddict(hints[key]):
            found += disagreements(hints[key], part, f"{place}{key}.")
        elif of_type(hints[key]) != of_schema(part):
            found.append(f"{place}{key}: {of_type(hints[key])}, in the schema {of_schema(part)}")
    return sorted(found)


def test_every_setting_has_the_type_that_the_schema_states() -> None:
    assert disagreements(Config, SCHEMA) == []


@pytest.mark.parametrize("setting", ["chunk.max_tokens", "sample.shortfall", "safety.detoxify.model", "train"])
def test_a_setting_of_another_type_in_the_schema_is_named(setting: str) -> None:
    *above, key = setting.split(".")
    changed: Any = read_yaml(shipped("schemas/config.schema.yaml"))
    section = changed
    for name in above:
        section = section["properties"][name]
    section["properties"][key] = {"type": "object", "properties": {"other": {"type": "boolean"}}}
    assert any(line.startswith(setting) for line in disagreements(Config, changed))
