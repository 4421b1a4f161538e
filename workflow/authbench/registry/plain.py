"""Make frozen dataclasses from the plain values that YAML and JSON hold."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

Typed = TypeVar("Typed")


def from_plain(kind: type[Typed], value: Mapping[str, Any]) -> Typed:
    """Return the dataclass `kind` of the values under its fields' names; other keys of the mapping are ignored.

    Nested dataclasses and tuples are made likewise. A field with a `key` in its metadata is read from that key.
    """
    given = {}
    for one in fields(kind):  # type: ignore[arg-type]
        key = one.metadata.get("key", one.name)
        if key in value:
            given[one.name] = _typed(one.type, value[key])
    return kind(**given)


def part_for(kind: type, value: Mapping[str, Any]) -> Any:
    """Return the entries of the mapping for the fields of a dataclass (`from_plain`) or TypedDict, in their order."""
    if is_dataclass(kind):
        keys = {one.metadata.get("key", one.name) for one in fields(kind)}
    else:
        keys = set(get_type_hints(kind))
    return {key: inner for key, inner in value.items() if key in keys}


def _typed(kind: Any, value: Any) -> Any:
    if get_origin(kind) is Annotated:
        return _typed(get_args(kind)[0], value)
    if get_origin(kind) in (Union, UnionType):
        return next((_typed(one, value) for one in get_args(kind) if _may_be(one, value)), value)
    if isinstance(value, Mapping) and isinstance(kind, type) and is_dataclass(kind):
        return from_plain(kind, value)
    if isinstance(value, list) and get_origin(kind) is tuple:
        return tuple(_typed(get_args(kind)[0], one) for one in value)
    return value


def _may_be(kind: Any, value: Any) -> bool:
    """Return whether a member of a union matches a value."""
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if value is None:
        return kind is NoneType
    return isinstance(value, list) if get_origin(kind) is tuple else isinstance(value, Mapping) and is_dataclass(kind)
