"""What `authbench build` becomes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from authbench.cli import main
from authbench.cli.build import snakemake_command
from authbench.overview.options import BUILD
from authbench.overview.page import command as index_command

ROOT = Path(__file__).parents[2]
PYTHON = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "workflow/Snakefile")]
OURS = ["--workflow-profile", str(ROOT / "profiles/default")]


@pytest.mark.parametrize(
    ("given", "command"),
    [
        ([], [*OURS, "--cores", "all"]),
        (["release", "--configfile", "mine.yaml", "-n"], [*OURS, "--cores", "all"]),
        (["--cores=3"], OURS),
        (["-c", "1", "pan"], OURS),
        (["--profile", "mine"], []),
        (["--workflow-profile=mine", "-j1"], []),
        (["-j1"], OURS),
    ],
)
def test_what_is_given_follows_what_is_not_given(given: list[str], command: list[str], tmp_path: Path) -> None:
    assert snakemake_command(given, tmp_path) == [*PYTHON, *command, *given]


def test_a_profile_of_the_folder_goes_before_that_of_the_package(tmp_path: Path) -> None:
    (tmp_path / "profiles/default").mkdir(parents=True)
    assert snakemake_command(["--cores", "1"], tmp_path) == [*PYTHON, "--cores", "1"]


def test_the_command_becomes_snakemake_with_all_that_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    became = []
    monkeypatch.setattr(os, "execve", lambda _, command, environment: became.append((command, environment)))
    main(["build", "release", "--config", "name=mine", "filter={symbols: 0.4}", "--cores", "2"])
    ((command, environment),) = became
    monkeypatch.setenv(BUILD, environment[BUILD])
    assert index_command("pan").startswith("authbench build --cores 2 pan")
    monkeypatch.delenv(BUILD)
    assert index_command("pan").startswith("snakemake --cores 2 pan")
    assert command[-6:] == ["release", "--config", "name=mine", "filter={symbols: 0.4}", "--cores", "2"]


def test_the_rules_lie_in_the_package_as_in_the_repository() -> None:
    project = ROOT / "workflow/authbench/shipped/project"
    for name in ("workflow/Snakefile", "workflow/common.smk", "workflow/rules", "workflow/scripts", "workflow/report",
                 "envs", "profiles"):  # fmt: skip
        assert (project / name).resolve() == ROOT / name
    tracked = subprocess.run(["git", "ls-files", project], cwd=ROOT, capture_output=True, text=True).stdout.split()
    assert not tracked or len(tracked) == 7
