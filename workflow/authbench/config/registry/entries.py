"""Read YAML files, compare them with their schemas, and read the default of every setting from config/config.yaml."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, cast

import yaml

from authbench.config.registry.typed_schema import schema_of
from authbench.config.registry.values import Problem, value_problems
from authbench.config.registry.violations import violations
from authbench.config.registry.yaml_lines import shape_problem, syntax_problem
from authbench.config.settings.config import Config
from authbench.core.errors import InputError
from authbench.core.json_values import JsonObject
from authbench.core.shipped import shipped
from authbench.core.storage.yaml_loader import FAST_LOADER

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

_SHOWN = 4  # problems in an error
Settings = JsonObject
Schema = Path | type | Callable[[], Settings]  # a file, a TypedDict that defines a schema, or a function that makes one


def read_yaml(path: Path) -> Settings:
    """Return the mapping in a YAML file. Raises InputError if it holds none."""
    try:
        if not path.is_file() and (path.exists() or path.is_symlink()):
            raise InputError(f"{path}: is no regular file. Expected settings or an entry.")
        return _mapping(path, path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file. Expected settings or an entry.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error}") from None
    except UnicodeDecodeError as error:
        raise InputError(syntax_problem(path, error)) from None


def _mapping(path: Path, text: str) -> Settings:
    """Return the mapping in the YAML text of a file. Raises InputError if it holds none."""
    try:
        if problem := shape_problem(text):
            raise InputError(f"{path} is {problem}. Expected settings or an entry.")
        value = yaml.load(text, FAST_LOADER)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: an invalid date
        raise InputError(syntax_problem(path, error)) from None
    if not isinstance(value, dict):
        raise InputError(f"{path}: expected a mapping of keys to values, found {type(value).__name__}")
    return value


def read_front_matter(path: Path) -> Settings:
    """Return the YAML between `---` and `---` at the beginning of a Markdown file; empty without a usable mapping."""
    try:
        begin, text, *rest = path.read_text(encoding="utf-8").split("---\n", 2)
        return _mapping(path, text) if rest and not begin else {}
    except (OSError, ValueError, InputError):
        return {}


def schema_problems(value: Mapping[str, object], schema: Schema) -> Iterator[Problem]:
    """Yield the top-level key and the description of every violation of a schema.

    A section with an invalid value (`values.value_problems`) is not compared with the schema.
    """
    unusable = list(value_problems(value))
    yield from unusable
    sections = {section for section, _ in unusable}
    usable = {key: inner for key, inner in value.items() if isinstance(key, str) and key not in sections}
    for section, problem in violations(_validator(schema).iter_errors(usable)):
        if section not in sections:  # e.g. an absent key with an invalid value
            yield section, problem


def section_problems(name: str, values: object) -> list[str]:
    """Return the problems of a section of the settings."""
    return [problem for section, problem in schema_problems({name: values}, Config) if section == name]


def problems_in_words(value: Mapping[str, object], schema: Schema) -> str:
    """Return the first violations of a schema, for an error; empty if there are none."""
    return "; ".join(f"{problem:.200}" for _, problem in islice(schema_problems(value, schema), _SHOWN))


def refused_texts(value: Mapping[str, object], schema: Schema) -> list[tuple[str | int, ...]]:
    """Return the places of the texts that a schema rejects, as the keys and numbers that lead to them."""
    errors = _validator(schema).iter_errors(value)
    return [tuple(error.absolute_path) for error in errors if isinstance(error.instance, str)]


@cache
def _validator(schema: Schema) -> "Validator":
    from authbench.config.registry.validator import validator_of  # 0.1 s, saved by jobs that use no schema

    if isinstance(schema, Path):
        return validator_of(read_yaml(schema))
    return validator_of(schema_of(schema) if isinstance(schema, type) else schema())


@cache
def default_settings() -> Config:
    """Return all default settings; read only."""
    return cast(Config, read_yaml(shipped("config/config.yaml")))


def fidelity_settings(fidelity: str) -> Settings:
    """Return the settings that a value of `fidelity` chooses over the defaults; none for `ours` or an unknown value."""
    return cast(Settings, read_yaml(shipped("config/fidelity.yaml")).get(fidelity, {}))
