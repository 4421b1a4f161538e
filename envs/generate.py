"""Write what repeats pyproject.toml (conda environments at the locked versions, citations) and the schemas for editors.

`python envs/generate.py` writes them, `--check` fails where one is out of date.
"""

import json
import re
import runpy
import sys
import tomllib
from pathlib import Path
from typing import Any

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LOCKS = ("requirements.lock", "requirements-extras.lock")
# The extras of pyproject.toml that an environment has beside the core dependencies, and what it is for.
EXTRAS: dict[str, list[str]] = {
    "text": ["plots", "sheets"],
    "models": ["plots", "models", "probing", "sheets", "toxicity"],
    "acquire": ["acquire"],
}
PURPOSES = {
    "text": "For most rules",
    "models": "For models, verifiers, features of style and Detoxify",
    "acquire": "For fetching corpora",
}


def generated(root: Path = ROOT) -> dict[str, str]:
    """Return the content of each file by its path."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {**_environments(project, root), **_citations(project, root), **_schemas()}


def _environments(project: dict[str, Any], root: Path) -> dict[str, str]:
    locked = _locked(root)
    python = re.search(r"\d+\.\d+", project["requires-python"])
    assert python, "requires-python names no version"
    return {
        f"envs/{name}.yaml": _environment(name, python[0], _packages(project, locked, EXTRAS[name])) for name in EXTRAS
    }


def _citations(project: dict[str, Any], root: Path) -> dict[str, str]:
    """Return the files that archives and citation managers read; the date is that of the version in CHANGELOG.md."""
    version = runpy.run_path(str(root / "workflow/authbench/core/version.py"))["VERSION"]
    changes = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    dated = re.search(rf"^## {re.escape(version)} - (\d{{4}}-\d\d-\d\d)$", changes, re.M)
    assert dated, f"CHANGELOG.md has no dated section {version}"
    names = [author["name"] for author in project["authors"]]
    repository = project.get("urls", {}).get("Repository")
    shared = {"title": "AuthBench", "version": version, "license": project["license"]}
    cff = {
        "cff-version": "1.2.0",
        "message": "If you build a benchmark with this software, cite it, and every corpus by its own reference.",
        **shared,
        "type": "software",
        "abstract": project["description"],
        "authors": [{"name": name} for name in names],
        "date-released": dated[1],
        **({"repository-code": repository} if repository else {}),
    }
    codemeta = {
        "@context": "https://w3id.org/codemeta/3.0",
        "@type": "SoftwareSourceCode",
        "name": "AuthBench",
        "description": project["description"],
        "version": version,
        "author": [{"@type": "Organization", "name": name} for name in names],
        "license": f"https://spdx.org/licenses/{project['license']}",
        "datePublished": dated[1],
        "programmingLanguage": "Python",
        **({"codeRepository": repository} if repository else {}),
    }
    zenodo = {
        **shared,
        "upload_type": "software",
        "description": project["description"],
        "creators": [{"name": name} for name in names],
        "publication_date": dated[1],
        **({"related_identifiers": [{"relation": "isSupplementTo", "identifier": repository}]} if repository else {}),
    }
    return {
        "CITATION.cff": yaml.safe_dump(cff, sort_keys=False, width=120),
        "codemeta.json": json.dumps(codemeta, indent=2) + "\n",
        ".zenodo.json": json.dumps(zenodo, indent=2) + "\n",
    }


def _environment(name: str, python: str, packages: list[str]) -> str:
    head = f"# {PURPOSES[name]}. Written by envs/generate.py from pyproject.toml and the locks."
    lines = ["channels: [conda-forge]", "dependencies:", f"  - python={python}", "  - pip", "  - pip:"]
    return "\n".join([head, *lines, *(f"      - {package}" for package in packages), ""])


def _packages(project: dict[str, Any], locked: dict[str, str], extras: list[str]) -> list[str]:
    """Return the core dependencies and those of the extras, sorted, each at its locked version where it has one."""
    lists = [project["dependencies"], *(project["optional-dependencies"][extra] for extra in extras)]
    required = {canonicalize_name(one.name): one for one in (Requirement(line) for part in lists for line in part)}
    return [f"{name}=={locked[name]}" if name in locked else str(required[name]) for name in sorted(required)]


def _schemas() -> dict[str, str]:
    """Return the JSON Schemas that first lines in config/ name; a recipe may leave out any setting."""
    sys.path.insert(0, str(ROOT / "workflow"))
    from authbench.app.config import Config
    from authbench.config.registry.sources import SOURCES
    from authbench.config.registry.typed_schema import schema_of
    from authbench.models.entries import MODELS
    from authbench.scoring.verifiers.requested import VERIFIERS
    from authbench.suites.style.entries import DATASETS

    schemas = {kind.folder: kind.schema() for kind in (SOURCES, MODELS, VERIFIERS, DATASETS)}
    schemas["config"] = _without_required(schema_of(Config))
    schemas["config"]["properties"]["sources"]["type"] = ["array", "null"]  # null: the demo
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {
        f"workflow/schemas/{name}.schema.json": json.dumps(
            {**head, "$id": f"urn:authbench:schema:{name}", **schema}, ensure_ascii=False
        )
        + "\n"
        for name, schema in schemas.items()
    }


def _without_required(schema: Any) -> Any:
    if isinstance(schema, dict):
        kept = {key: value for key, value in schema.items() if key != "required" or not isinstance(value, list)}
        return {key: _without_required(value) for key, value in kept.items()}
    return [_without_required(value) for value in schema] if isinstance(schema, list) else schema


def _locked(root: Path) -> dict[str, str]:
    lines = [line for lock in LOCKS for line in (root / lock).read_text(encoding="utf-8").splitlines()]
    pins = (Requirement(line) for line in lines if "==" in line and not line.startswith("#"))
    return {canonicalize_name(pin.name): str(pin.specifier).removeprefix("==") for pin in pins}


def main(arguments: list[str]) -> int:
    stale = []
    for name, content in generated().items():
        path = ROOT / name
        if not path.exists() or path.read_text(encoding="utf-8") != content:
            stale.append(name)
            if arguments != ["--check"]:
                path.write_text(content, encoding="utf-8")
    if stale and arguments == ["--check"]:
        print(f"Out of date: {', '.join(stale)}. Run `python envs/generate.py`.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
