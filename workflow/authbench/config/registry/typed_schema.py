"""Derive JSON Schemas from types, and make values of these types from plain values."""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints, is_typeddict

from authbench.core.json_values import JsonObject

Typed = TypeVar("Typed")


def from_plain(kind: type[Typed], value: Mapping[str, object]) -> Typed:
    """Return the dataclass `kind` of the values under its fields' names; other keys of the mapping are ignored.

    Nested dataclasses and tuples are made likewise. A field with a `key` in its metadata is read from that key.
    """
    given = {}
    for one in fields(kind):  # type: ignore[arg-type]
        key = one.metadata.get("key", one.name)
        if key in value:
            given[one.name] = _typed(one.type, value[key])
    return kind(**given)


def to_plain(value: object) -> Any:
    """Return a dataclass as a mapping from its fields' names, and a tuple as a list; other values are unchanged."""
    if is_dataclass(value):
        return {one.name: to_plain(getattr(value, one.name)) for one in fields(value)}
    return [to_plain(one) for one in value] if isinstance(value, tuple) else value


def part_for(kind: type, value: Mapping[str, object]) -> Any:
    """Return the entries of the mapping for the fields of a dataclass (`from_plain`) or TypedDict, in their order."""
    if is_dataclass(kind):
        keys = {one.metadata.get("key", one.name) for one in fields(kind)}
    else:
        keys = set(get_type_hints(kind))
    return {key: inner for key, inner in value.items() if key in keys}


def _typed(kind: object, value: object) -> object:
    if get_origin(kind) is Annotated:
        return _typed(get_args(kind)[0], value)
    if get_origin(kind) in (Union, UnionType):
        return next((_typed(one, value) for one in get_args(kind) if _may_be(one, value)), value)
    if isinstance(value, Mapping) and isinstance(kind, type) and is_dataclass(kind):
        return from_plain(kind, value)
    if isinstance(value, list) and get_origin(kind) is tuple:
        return tuple(_typed(get_args(kind)[0], one) for one in value)
    return value


def _may_be(kind: object, value: object) -> bool:
    """Return whether a member of a union matches a value."""
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if value is None:
        return kind is NoneType
    return isinstance(value, list) if get_origin(kind) is tuple else isinstance(value, Mapping) and is_dataclass(kind)


COMPUTED = {"computed": True}  # metadata of a dataclass' field that an entry does not state
_NAMES = {int: "integer", float: "number", bool: "boolean", str: "string"}


def schema_of(kind: Any) -> JsonObject:
    """Return the schema of a type: TypedDict, dataclass, list, tuple, mapping, Literal, a union, or a plain value.

    Mappings in `Annotated` are keywords of the schema. A TypedDict requires none of its keys, a dataclass its fields
    without a default; neither allows other keys.

    >>> schema_of(list[Annotated[float, {"minimum": 0}]])
    {'type': 'array', 'items': {'type': 'number', 'minimum': 0}}
    """
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        keywords = {name: value for one in inner[1:] for name, value in one.items()}
        return keywords if "$ref" in keywords else schema_of(inner[0]) | keywords
    if origin in (Union, UnionType):
        return _of_union(inner)
    if origin is Literal:
        return {"const": inner[0]} if len(inner) == 1 else {"enum": list(inner)}
    if origin in (list, Sequence, tuple):
        length = {} if inner[1:] in ((), (...,)) else {"minItems": len(inner), "maxItems": len(inner)}
        return {"type": "array", **length, "items": schema_of(inner[0])}
    if origin is Mapping:
        keys = {} if inner[0] is str else {"propertyNames": schema_of(inner[0])}
        return {"type": "object", **keys, "additionalProperties": schema_of(inner[1])}
    if is_typeddict(kind):
        properties = {key: schema_of(value) for key, value in get_type_hints(kind, include_extras=True).items()}
        return {"type": "object", "additionalProperties": False, "properties": properties}
    if is_dataclass(kind):
        return _of_fields(kind)
    return {} if kind is object else {"type": _NAMES[kind]}


def schema_of_fields(*kinds: type) -> JsonObject:
    """Return the schema of a mapping with the fields of several dataclasses; a field whose default is None is no null.

    >>> schema_of_fields()
    {'type': 'object', 'additionalProperties': False, 'required': [], 'properties': {}}
    """
    schemas = [_without_null(_of_fields(kind)) for kind in kinds]
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [key for schema in schemas for key in schema["required"]],
        "properties": {key: inner for schema in schemas for key, inner in schema["properties"].items()},
    }


def if_is(key: str, value: str, then: Mapping[str, object], **otherwise: object) -> JsonObject:
    """Return the part of a schema that holds for mappings with a value of a key."""
    return {"if": {"properties": {key: {"const": value}}}, "then": dict(then), **otherwise}


def schema_of_kinds(entry: type, kinds: Mapping[str, type]) -> JsonObject:
    """Return the schema of an entry whose `kind` selects the dataclass of its `parameters`."""
    schema = schema_of(entry)
    schema["properties"] |= {"kind": {"enum": list(kinds)}, "parameters": {"type": "object"}}
    schema["allOf"] = []
    for kind, parameters in kinds.items():
        inner = schema_of(parameters)
        required = {"required": ["parameters"]} if inner["required"] else {}
        schema["allOf"].append(if_is("kind", kind, required | {"properties": {"parameters": inner}}))
    return schema


def _of_fields(kind: Any) -> JsonObject:
    types = get_type_hints(kind, include_extras=True)
    stated = {one.metadata.get("key", one.name): one for one in fields(kind) if "computed" not in one.metadata}
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [key for key, one in stated.items() if one.default is one.default_factory is MISSING],
        "properties": {key: schema_of(types[one.name]) for key, one in stated.items()},
    }


def _of_union(kinds: Sequence[object]) -> dict[str, object]:
    """Return a schema whose messages are about the member of the union that matches a value's kind."""
    schemas = [schema_of(kind) for kind in kinds if kind is not NoneType]
    if all(schema.keys() == {"type"} for schema in schemas):
        return {"type": [*(schema["type"] for schema in schemas), *(["null"] if NoneType in kinds else [])]}
    if any("type" not in schema for schema in schemas):
        return {"oneOf": schemas} if schemas[1:] else schemas[0]
    first, *nested = sorted(schemas, key=lambda schema: schema["type"] in ("array", "object"))
    if NoneType in kinds:
        first["type"] = [first["type"], "null"]
    return {"if": {"type": nested[0]["type"]}, "then": nested[0], "else": first} if nested else first


def _without_null(schema: object) -> Any:
    if isinstance(schema, dict):
        return {key: _without_null(inner) for key, inner in schema.items()}
    return [_without_null(inner) for inner in schema if inner != "null"] if isinstance(schema, list) else schema
