"""Extend jsonschema's validator by the types, formats and keywords of this project's schemas."""

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any

import regex
from jsonschema import Draft202012Validator, FormatChecker, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend

from authbench.core.errors import InputError
from authbench.core.storage.raw_files import known_codec

# A file of scores has ten thousand numbers below schemas that state only a type, and jsonschema takes 20 microseconds
# for each. What fits such a schema is passed over; all else is left to jsonschema, which keeps its messages unchanged.
Keyword = Callable[[object, object, object, object], Iterator[ValidationError]]

_OF_PLAIN_SCHEMAS = {"type", "items", "minItems", "maxItems"}
# A float such as 800.0 is not an integer, as in YAML: it could not slice a table.
_TYPES = Draft202012Validator.TYPE_CHECKER.redefine(
    "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
)


def fits(value: object, schema: object) -> bool:
    """Return whether a schema is plain, of types and lists of them only, and a value fits it.

    >>> fits([1, 2.5], {"type": "array", "maxItems": 2, "items": {"type": "number"}}), fits("a", {"type": ["null"]})
    (True, False)
    >>> fits("a", {"type": "string", "pattern": "a"})
    False
    """
    if not isinstance(schema, dict) or "type" not in schema or not schema.keys() <= _OF_PLAIN_SCHEMAS:
        return False
    kinds = schema["type"]
    if not any(_TYPES.is_type(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        return False
    if not isinstance(value, list):
        return True
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        return False
    return "items" not in schema or all(fits(one, schema["items"]) for one in value)


def properties(validator: object, stated: Any, instance: object, schema: object) -> Iterator[ValidationError]:
    """Apply jsonschema's keyword to the values that do not fit a plain schema."""
    if isinstance(instance, dict):
        stated = {key: about for key, about in stated.items() if key in instance and not fits(instance[key], about)}
    yield from Draft202012Validator.VALIDATORS["properties"](validator, stated, instance, schema)


def additional_properties(validator: object, stated: Any, instance: object, schema: Any) -> Iterator[ValidationError]:
    """Apply jsonschema's keyword likewise."""
    if isinstance(instance, dict) and isinstance(stated, dict):
        known = schema.get("properties", {})
        instance = {key: value for key, value in instance.items() if key in known or not fits(value, stated)}
    yield from Draft202012Validator.VALIDATORS["additionalProperties"](validator, stated, instance, schema)


KEYWORDS: Mapping[str, Keyword] = {"properties": properties, "additionalProperties": additional_properties}


LONGEST_PATH, LONGEST_NAME = 1_000, 255  # bytes; Linux takes 4,096 and 255


def _is_path(value: object) -> bool:
    """Return whether a text can be a path, by its length and its parts' lengths; other values pass."""
    if not isinstance(value, str):
        return True
    parts = [len(part.encode()) for part in value.split("/")]
    return max(parts) <= LONGEST_NAME and sum(parts) + len(parts) <= LONGEST_PATH


def _is_date(value: object) -> bool:
    return not isinstance(value, str) or bool(date.fromisoformat(value))


def _is_pattern(value: object) -> bool:
    """Return whether a text is a pattern of `regex`; `{{field}}` in it represents the value of a field."""
    return not isinstance(value, str) or bool(regex.compile(regex.sub(r"\{\{[^{}]+\}\}", "x", value)))


def _is_encoding(value: object) -> bool:
    return not isinstance(value, str) or bool(known_codec(value))


FORMATS = FormatChecker(formats=())
for name, check, raised in (
    ("path", _is_path, ()),
    ("date", _is_date, ValueError),
    ("regex", _is_pattern, regex.error),
    ("encoding", _is_encoding, InputError),
):
    FORMATS.checks(name, raised)(check)


_Validator = extend(Draft202012Validator, KEYWORDS, type_checker=_TYPES)


def validator_of(schema: Mapping[str, object]) -> Validator:
    """Return a validator that compares values with a schema."""
    return _Validator(schema, format_checker=FORMATS)
