"""What does a page of YAML say, and does it fit its schema?"""

import difflib
from collections.abc import Iterable, Iterator
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
    try:
        value = yaml.load(path.read_text(encoding="utf-8"), FAST_LOADER)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except yaml.YAMLError as error:
        raise InputError(f"{path} is not valid YAML: {error}") from None
    if not isinstance(value, dict):
        raise InputError(f"{path}: expected a mapping of keys to values, found {type(value).__name__}")
    return value


@cache
def _validator(schema_path: Path) -> Draft202012Validator:
    return Draft202012Validator(read_yaml(schema_path))


def schema_problems(value: Settings, schema_path: Path) -> Iterator[tuple[str, str]]:
    """The top-level key and the text of every violation of a schema."""
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


def did_you_mean(word: str, known: Iterable[str]) -> str:
    known = list(known)
    close = difflib.get_close_matches(word, known, 1)
    return f"; did you mean '{close[0]}'?" if close else f"; known: {', '.join(known)}"
