"""Report how a value violates a schema, in the words of its author."""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from authbench.config.registry.values import Problem, problem_at, shown
from authbench.core.words import did_you_mean, nearest

if TYPE_CHECKING:
    from jsonschema import ValidationError

_NUMBER = re.compile(r"[-+]?\d{1,15}(\.\d{1,15})?([eE][-+]?\d{1,2})?")
_TOLD = 20  # unknown keys of a mapping
_KINDS = {
    "object": "a mapping of keys to values",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


def violations(errors: Iterable["ValidationError"]) -> Iterator[Problem]:
    """Yield the top-level key and the description of every violation, in the order of their places."""
    for error in sorted(errors, key=lambda error: [str(part) for part in error.absolute_path]):
        for inner in _of_best_branch(error):
            yield from _described(inner)


def _of_best_branch(error: "ValidationError") -> Iterator["ValidationError"]:
    """Yield, for a value that fits no branch of anyOf or oneOf, what it lacks of the nearest branch of its type."""
    branches: dict[int, list[ValidationError]] = {}
    if "expected" not in error.schema:
        for inner in error.context or ():
            branches.setdefault(int(inner.relative_schema_path[0]), []).append(inner)
    of_type = [found for found in branches.values() if not any(_is_of_other_type(one) for one in found)]
    if not of_type or _alternatives(error):
        yield error
    else:
        for inner in min(of_type, key=len):
            yield from _of_best_branch(inner)


def _is_of_other_type(error: "ValidationError") -> bool:
    return error.validator in ("type", "const") and not error.relative_path


def _alternatives(error: "ValidationError") -> list[str]:
    """Return the alternative keys of a mapping, if each branch of a schema is for a single key."""
    branches = error.validator_value if error.validator == "oneOf" else []
    keys = [branch.get("required", []) for branch in branches]
    return [key for (key,) in keys] if keys and all(len(key) == 1 for key in keys) else []


def _described(error: "ValidationError") -> Iterator[Problem]:
    keys = [str(part) for part in error.absolute_path]
    value, rule, limit = error.instance, error.validator, error.validator_value
    if rule == "additionalProperties" and isinstance(error.schema.get("properties"), dict):
        known = list(error.schema["properties"])
        unknown = sorted(set(value) - set(known))
        for key in unknown[:_TOLD]:
            yield problem_at([*keys, key], f"unknown key{did_you_mean(key, known)}")
        if len(unknown) > _TOLD:
            yield problem_at([*keys, unknown[_TOLD]], f"unknown key, as are {len(unknown) - _TOLD - 1:,} others")
    elif rule == "required":
        missing = next(key for key in limit if error.message.startswith(repr(key)))
        yield problem_at([*keys, missing], "is required")
    elif rule == "enum" and isinstance(value, str):
        known = [str(choice) for choice in limit]
        yield problem_at(keys, f"{shown(value)} is not one of {', '.join(known)}{nearest(value, known)}")
    else:
        yield problem_at(keys, _said(error, shown(value)))


def _said(error: "ValidationError", value: str) -> str:
    """Return the error of a value, what was expected (the schema's key `expected`), and how to write it."""
    rule, limit = error.validator, error.validator_value
    if expected := error.schema.get("expected"):
        return f"{value} is not {expected}{_correction(error)}"
    if isinstance(error.instance, dict) and (alternatives := _alternatives(error)):
        present = [key for key in alternatives if key in error.instance]
        said = f"has {' and '.join(present)}, and takes" if present else "lacks"
        return f"{said} one of {', '.join(alternatives)}"
    if rule in ("anyOf", "oneOf"):
        return f"{value} is not {_either(error)}"
    if rule in ("type", "const"):
        return f"{value} is not {_expected(error)}{_correction(error)}"
    if rule in ("minProperties", "maxProperties"):
        return f"has {len(error.instance)} keys, expected at {'least' if rule == 'minProperties' else 'most'} {limit}"
    return str(error.message).replace(repr(error.instance), value, 1)


def _either(error: "ValidationError") -> str:
    """Return what the branches of a schema expect, for a value whose type matches no branch."""
    of_types = [inner for inner in error.context or () if _is_of_other_type(inner)]
    return " or ".join(_expected(inner) for inner in of_types) or "in a form that is allowed here"


def _expected(error: "ValidationError") -> str:
    if error.validator == "const":
        return shown(error.validator_value)
    kinds = error.validator_value
    return " or ".join(_KINDS[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds))


def _correction(error: "ValidationError") -> str:
    """Return how to write a value of the expected type, as the end of a message."""
    value, kinds = error.instance, error.validator_value
    if error.validator != "type":
        return ""
    if isinstance(value, float) and value.is_integer() and "integer" in kinds:
        return f"; write {int(value)}"
    if isinstance(value, str) and _NUMBER.fullmatch(value) and ("integer" in kinds or "number" in kinds):
        return f"; {shown(value)} is text to YAML: write {float(value):.15g}"
    if isinstance(value, bool | int | float) and "string" in kinds:
        return "; write it in quotes"
    if isinstance(value, str | int | float) and "array" in kinds:
        return f"; write [{shown(value)}]"
    return ""
