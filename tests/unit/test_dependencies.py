"""What a package asks for: ranges that begin at the versions of the locks."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def locked(name):
    """The version of each distribution of a lock; a line that is no exact pin fails."""
    pins = [line.split("==") for line in (ROOT / name).read_text(encoding="utf-8").splitlines()]
    return {canonicalize_name(distribution): version for distribution, version in pins}


@pytest.mark.parametrize(
    ("wanted", "lock"),
    [(one, "requirements.lock") for one in [*PROJECT["dependencies"], *EXTRAS["dev"]]]
    + [(one, "requirements-extras.lock") for name in EXTRAS if name != "dev" for one in EXTRAS[name]],
)
def test_a_dependency_is_a_range_from_the_locked_version(wanted, lock):
    requirement = Requirement(wanted)
    pins = locked("requirements.lock") | locked(lock)
    version = pins[canonicalize_name(requirement.name)]
    assert requirement.specifier.contains(version)
    assert {part.version for part in requirement.specifier if part.operator in ("==", ">=")} == {version}


def test_the_workflow_refuses_an_earlier_snakemake_than_the_package_does():
    (least,) = re.findall(r'^min_version\("(.+)"\)$', (ROOT / "workflow/Snakefile").read_text("utf-8"), re.M)
    (wanted,) = [Requirement(one).specifier for one in EXTRAS["build"] if Requirement(one).name == "snakemake"]
    assert least in {part.version for part in wanted if part.operator == ">="}


def test_no_distribution_is_locked_twice():
    assert not locked("requirements.lock").keys() & locked("requirements-extras.lock").keys()
