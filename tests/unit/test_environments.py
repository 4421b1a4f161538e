"""What repeats pyproject.toml is up to date; the rules' conda environments hold what the rules' code imports."""

import ast
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from authbench.config.registry.entries import read_yaml
from authbench.core.runtime.code import closure
from authbench.core.shipped import shipped

ROOT = Path(__file__).parents[2]
# One process parses the files that the rules share.
pytestmark = pytest.mark.xdist_group("unit/test_environments")
NAMED_OTHERWISE = {"yaml": "pyyaml", "sklearn": "scikit-learn", "opencc": "opencc-py"}
RULE = re.compile(r'^rule (\w+):.*?envs/(\w+)\.yaml".*?scripts/(\w+)\.py"', re.MULTILINE | re.DOTALL)


def rules():
    """Return name, environment and adapter of every rule that runs one."""
    return [
        found
        for path in sorted((ROOT / "workflow/rules").glob("*.smk"))
        for block in re.split(r"\n(?=rule )", path.read_text(encoding="utf-8"))
        for found in RULE.findall(block)
    ]


@cache
def packages(environment):
    """Return the packages that an environment lists, and those that they require as far as that is known here."""
    listed = yaml.safe_load((ROOT / f"envs/{environment}.yaml").read_text(encoding="utf-8"))["dependencies"][-1]["pip"]
    waiting, found = [Requirement(one).name for one in listed], set()
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name not in found:
            found.add(name)
            waiting += required_by(name)
    return frozenset(found)


def required_by(name):
    try:
        required = [Requirement(one) for one in requires(name) or []]
    except PackageNotFoundError:
        return []
    return [one.name for one in required if one.marker is None or one.marker.evaluate({"extra": ""})]


@pytest.mark.parametrize("recipe", ["Containerfile", "apptainer.def"])
def test_a_container_installs_the_package_at_the_locked_versions(recipe):
    text = (ROOT / "envs" / recipe).read_text(encoding="utf-8").replace("\\\n", " ")
    (install,) = [shlex.split(part) for part in re.split(r"&&|\n", text) if "pip install" in part]
    constraints = [value for option, value in zip(install, install[1:], strict=False) if option == "--constraint"]
    assert constraints == ["requirements.lock", "requirements-extras.lock"]
    assert all(re.search(rf"^(?:COPY .*| +){lock} .*/opt/authbench/$", text, re.M) for lock in constraints)
    (python,) = re.findall(r"^from:? python:(\S+)-slim$", text, re.M | re.I)
    environment = yaml.safe_load((ROOT / "envs/text.yaml").read_text(encoding="utf-8"))
    assert f"python={python}" in environment["dependencies"]


@cache
def imported(path):
    """Return the packages of others that a file imports, and whether it does so when it is itself imported."""
    return frozenset(_imported(path))


def _imported(path):
    waiting = [(ast.parse(path.read_text(encoding="utf-8")), True)]
    while waiting:
        node, at_once = waiting.pop()
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            names = [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
        for name in {name.partition(".")[0] for name in names} - {"authbench"} - sys.stdlib_module_names:
            yield canonicalize_name(NAMED_OTHERWISE.get(name, name)), at_once
        inner = at_once and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        waiting += [(child, inner) for child in ast.iter_child_nodes(node)]


def test_what_repeats_pyproject_is_up_to_date():
    done = subprocess.run(
        [sys.executable, ROOT / "envs/generate.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_address_of_the_repository_is_stated_wherever_authbench_is_cited(tmp_path):
    read = ("pyproject.toml", "requirements.lock", "requirements-extras.lock", "CHANGELOG.md")
    for name in (*read, "workflow/authbench/core/version.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    generated = runpy.run_path(str(ROOT / "envs/generate.py"))["generated"]
    address = "https://code.example.org/authbench"
    assert not any(address in content for content in generated(tmp_path).values())
    with (tmp_path / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write(f'\n[project.urls]\nRepository = "{address}"\n')
    stating = {name for name, content in generated(tmp_path).items() if address in content}
    assert stating == {"CITATION.cff", "codemeta.json", ".zenodo.json"}


def test_editors_find_the_schema_of_every_entry_and_recipe_and_it_fits():
    pages = [
        path
        for path in (ROOT / "config").rglob("*.yaml")
        if path.name not in ("fidelity.yaml", "languages.yaml", "persons.yaml")
    ]
    wrong = []
    for page in pages:
        first = page.read_text(encoding="utf-8").splitlines()[0]
        schema = (page.parent / first.removeprefix("# yaml-language-server: $schema=")).resolve()
        wrong += [f"{page}: {problem.message}" for problem in validator(schema).iter_errors(read_yaml(page))]
    assert (len(pages) > 250, wrong) == (True, [])


@cache
def validator(schema):
    return Draft202012Validator(yaml.safe_load(schema.read_text(encoding="utf-8")))


def test_every_schema_has_an_id():
    schemas = sorted((ROOT / "workflow/schemas").iterdir())
    ids = [f"urn:authbench:schema:{path.name.partition('.')[0]}" for path in schemas]
    assert [validator(path).schema["$id"] for path in schemas] == ids


def test_the_authors_are_the_holders_of_the_licence():
    authors = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["authors"]
    holders = re.findall(r"^Copyright \(c\) \d{4} (.+)$", (ROOT / "LICENSE").read_text(encoding="utf-8"), re.M)
    assert [author["name"] for author in authors] == holders


def test_every_adapter_has_a_rule_with_an_environment():
    assert {adapter for _, _, adapter in rules()} == {path.stem for path in shipped("scripts").glob("*.py")}


@pytest.mark.parametrize(("rule", "environment", "adapter"), rules())
def test_a_rules_environment_holds_what_its_code_imports(rule, environment, adapter):
    """What functions import may also be in `models`: other environments lack it as their jobs do not come that far."""
    files = closure(shipped(f"scripts/{adapter}.py")).values()
    at_once = {name for path in files for name, first in imported(path) if first}
    later = {name for path in files for name, first in imported(path) if not first}
    assert at_once <= packages(environment), f"{rule}: envs/{environment}.yaml lacks what is imported at once"
    assert later <= packages(environment) | packages("models"), (
        f"{rule}: envs/{environment}.yaml lacks what is imported"
    )
