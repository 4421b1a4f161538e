"""A deployed workflow builds the same benchmark as a checkout."""

from pathlib import Path

from deployed import deploy, install
from project import Project


def test_a_module_by_github_builds_the_release_of_the_checkout(demo: Project, tmp_path: Path) -> None:
    installed = install(tmp_path / "installed")
    user = deploy(tmp_path / "user", installed.source)
    status, printed = installed.snakemake(user, "--cores", "2", "release")
    assert status == 0, printed
    sums = "SHA256SUMS"
    assert (user.release / sums).read_text(encoding="utf-8") == (demo.release / sums).read_text(encoding="utf-8")
