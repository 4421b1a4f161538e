"""Extend jsonschema's validator by the types, formats and keywords of this project's schemas."""

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.protocols import Validator
from jsonschema.validators import extend

from authbench.registry.formats import FORMATS
from authbench.registry.plain_values import KEYWORDS

# A float such as 800.0 is not an integer, as in YAML: it could not slice a table.
_TYPES = Draft202012Validator.TYPE_CHECKER.redefine(
    "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
)
_Validator = extend(Draft202012Validator, KEYWORDS, type_checker=_TYPES)


def validator_of(schema: Mapping[str, Any]) -> Validator:
    """Return a validator that compares values with a schema."""
    return _Validator(schema, format_checker=FORMATS)
