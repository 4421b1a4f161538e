"""Which verifiers are there, and what is asked of each?

A verifier is a page config/verifiers/<name>.yaml (workflow/schemas/verifier.schema.yaml), or a page of one's own given
by its path.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from authbench.errors import InputError
from authbench.registry.entries import did_you_mean, read_yaml, schema_problems
from authbench.shipped import shipped

VERIFIERS = shipped("config/verifiers")
SCHEMA = shipped("schemas/verifier.schema.yaml")


@dataclass(frozen=True)
class Verifier:
    """An entry of the registry: `parameters` are those of its `kind`, with defaults filled in."""

    name: str
    title: str
    kind: str
    parameters: Mapping[str, Any]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def find_verifier(asked: str, folder: Path = VERIFIERS) -> Verifier:
    """The verifier of that name in `folder`, or the one that a path names. Raises InputError where there is none."""
    path = Path(asked) if asked.endswith((".yaml", ".yml")) else folder / f"{asked}.yaml"
    if not path.is_file():
        names = sorted(page.stem for page in folder.glob("*.yaml"))
        raise InputError(
            f"There is no verifier '{asked}'{did_you_mean(asked, names)}. A page of your own is given by its path."
        )
    page = read_yaml(path)
    if problems := [problem for _, problem in schema_problems(page, SCHEMA)]:
        raise InputError(f"{path}:\n" + "\n".join(f"  - {problem}" for problem in problems))
    return Verifier(path.stem, page["title"], page["kind"], defaults(page["kind"]) | page.get("parameters", {}))


def defaults(kind: str) -> dict[str, Any]:
    """The parameters of a kind that a page may leave out, as the schema gives them."""
    for rule in read_yaml(SCHEMA)["allOf"]:
        if rule["if"]["properties"]["kind"]["const"] == kind:
            known = rule["then"]["properties"]["parameters"]["properties"]
            return {name: about["default"] for name, about in known.items() if "default" in about}
    return {}
