"""A deployed workflow builds the same benchmark as a checkout."""

import zipfile
from pathlib import Path

from deployed import deploy, install
from installed import build_wheel
from project import Project


def test_a_module_by_github_builds_with_the_wheel_what_the_checkout_builds(demo: Project, tmp_path: Path) -> None:
    packages, source, user = tmp_path / "packages", tmp_path / "source", tmp_path / "user"
    source.mkdir()
    zipfile.ZipFile(build_wheel(source)).extractall(packages)
    cached = install(tmp_path / "cached")
    deployed = deploy(user, cached.source)
    status, printed = cached.snakemake(deployed, "--cores", "2", "release", packages=packages)
    assert status == 0, printed
    files = sorted(path.relative_to(demo.release) for path in demo.release.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(deployed.release) for path in deployed.release.rglob("*") if path.is_file())
    for path in files:
        assert (deployed.release / path).read_bytes() == (demo.release / path).read_bytes(), path
