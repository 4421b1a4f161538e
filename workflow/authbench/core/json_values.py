"""Name the types of JSON and YAML values whose form is checked where they are read, or not at all."""

from collections.abc import Mapping
from typing import Any, TypeAlias

JsonObject: TypeAlias = dict[str, Any]
JsonMapping: TypeAlias = Mapping[str, Any]  # an object that is only read
