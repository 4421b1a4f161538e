"""Write the conda environments of the rules from pyproject.toml, at the versions that the locks pin.

`python envs/generate.py` writes them, `--check` fails where one is out of date.
"""

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LOCKS = ("requirements.lock", "requirements-extras.lock")
# The extras of pyproject.toml that an environment has beside the core dependencies, and what it is for.
EXTRAS: dict[str, list[str]] = {"text": [], "models": ["models", "probing", "toxicity"], "acquire": ["acquire"]}
PURPOSES = {
    "text": "For most rules",
    "models": "For models, verifiers, features of style and Detoxify",
    "acquire": "For fetching corpora",
}
NOT_IN_JOBS = {"snakemake"}  # runs the jobs, from its own environment


def environments(root: Path = ROOT) -> dict[str, str]:
    """Return the content of each conda environment by its name, the stem of its file."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    locked = _locked(root)
    python = re.search(r"\d+\.\d+", project["requires-python"])
    assert python, "requires-python names no version"
    return {name: _environment(name, python[0], _packages(project, locked, EXTRAS[name])) for name in EXTRAS}


def _environment(name: str, python: str, packages: list[str]) -> str:
    head = f"# {PURPOSES[name]}. Written by envs/generate.py from pyproject.toml and the locks."
    lines = ["channels: [conda-forge]", "dependencies:", f"  - python={python}", "  - pip", "  - pip:"]
    return "\n".join([head, *lines, *(f"      - {package}" for package in packages), ""])


def _packages(project: dict[str, Any], locked: dict[str, str], extras: list[str]) -> list[str]:
    """Return the core dependencies and those of the extras, sorted, each at its locked version where it has one."""
    lists = [project["dependencies"], *(project["optional-dependencies"][extra] for extra in extras)]
    required = {canonicalize_name(one.name): one for one in (Requirement(line) for part in lists for line in part)}
    return [
        f"{name}=={locked[name]}" if name in locked else str(required[name])
        for name in sorted(required)
        if name not in NOT_IN_JOBS
    ]


def _locked(root: Path) -> dict[str, str]:
    lines = [line for lock in LOCKS for line in (root / lock).read_text(encoding="utf-8").splitlines()]
    pins = (Requirement(line) for line in lines if "==" in line and not line.startswith("#"))
    return {canonicalize_name(pin.name): str(pin.specifier).removeprefix("==") for pin in pins}


def main(arguments: list[str]) -> int:
    stale = []
    for name, content in environments().items():
        path = ROOT / f"envs/{name}.yaml"
        if not path.exists() or path.read_text(encoding="utf-8") != content:
            stale.append(path.name)
            if arguments != ["--check"]:
                path.write_text(content, encoding="utf-8")
    if stale and arguments == ["--check"]:
        print(f"Out of date in envs/: {', '.join(stale)}. Run `python envs/generate.py`.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
