"""What contributors are told to run, and what runs on their contributions, is there."""

import re
from pathlib import Path

import pytest
import yaml

from authbench.app.cli import COMMANDS

ROOT = Path(__file__).parents[2]
HOSTED = sorted((ROOT / ".github").rglob("*.*ml"))
TOLD = [ROOT / "CONTRIBUTING.md", ROOT / "resources/submissions/README.md", *(ROOT / ".github").rglob("*.*")]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", [path for path in TOLD if path.is_file()], ids=lambda page: page.name)
def test_commands_that_contributors_run_exist(page):
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(r"\bmake ([a-z-]+)`|run: make ([a-z-]+)", text)) <= targets()
    told = set(re.findall(r"`authbench ([a-z][a-z-]+)(?: ([a-z]+))?", text))
    assert {first if first in COMMANDS else f"{first} {second}" for first, second in told} <= COMMANDS.keys()
    assert [name for name in re.findall(r"\.ci/\w+", text) if not (ROOT / name).is_file()] == []


def targets():
    (names,) = re.findall(r"^\.PHONY: (.+)$", MAKEFILE, re.M)
    return {pair for name in names.split() for pair in ((name, ""), ("", name))}


def test_contributing_fits_a_screen():
    assert len((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines()) <= 50


def test_public_checks_run_what_ours_run_on_two_versions_of_python():
    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))["jobs"]
    versions = jobs["lowest"]["strategy"]["matrix"]["python"]
    (least,) = re.findall(r'requires-python = ">=(.+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert versions[0] == least and len(versions) == 2
    assert {"run": ".ci/run"} in jobs["lowest"]["steps"]


@pytest.mark.parametrize("page", HOSTED, ids=lambda page: page.name)
def test_forms_and_workflows_have_the_keys_of_their_kind(page):
    found = yaml.safe_load(page.read_text(encoding="utf-8"))
    if page.parent.name == "workflows":
        assert {"name", "permissions", "jobs"} <= found.keys() and found["permissions"] == {"contents": "read"}
    elif page.stem != "config":
        assert {"name", "description", "body"} <= found.keys()
