"""What `authbench build` becomes."""

import os
import shutil
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest
from cases import cases

from authbench.app.cli import main
from authbench.app.cli.build import _described, snakemake_command
from authbench.reports.overview.options import BUILD
from authbench.reports.overview.page import command as index_command

ROOT = Path(__file__).parents[2]
PYTHON = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "workflow/Snakefile")]
SHIPPED = ROOT / "profiles"
DEFAULT = ["--workflow-profile", str(SHIPPED / "default/config.yaml")]
ALL = ["--cores", "all"]


@pytest.mark.parametrize(
    ("given", "more"),
    [
        ([], [*DEFAULT, *ALL]),
        (["release", "--configfile", "mine.yaml", "-n"], [*DEFAULT, *ALL]),
        (["--cores=3"], DEFAULT),
        (["pan", "-c", "1"], DEFAULT),
        (["-j1"], DEFAULT),
        (["--profile", "site"], [*DEFAULT, *ALL]),
        (["--profile", "cluster"], DEFAULT),
        (["--workflow-profile", "none"], ALL),
        (["--workflow-profile=own"], ["--workflow-profile", "profiles/own/config.yaml", *ALL]),
        (["--workflow-profile", "slurm"], ["--workflow-profile", str(SHIPPED / "slurm/config.yaml")]),
        (["--workflow-profile", "profiles/slurm"], ["--workflow-profile", str(SHIPPED / "slurm/config.yaml")]),
    ],
)
def test_what_is_given_comes_before_the_profile_and_the_cores_that_are_not_given(given, more, folder):
    assert snakemake_command(given, Path()) == [*PYTHON, *given, *more]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with settings and profiles."""
    texts = {"mine.yaml": "name: mine", "letters.csv": "a,b", "site/config.yaml": "retries: 2",
             "cluster/config.yaml": "executor: slurm", "profiles/own/config.yaml": "retries: 3"}  # fmt: skip
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_profile_of_the_folder_goes_before_that_of_the_package(folder):
    shutil.copytree(folder / "profiles/own", folder / "profiles/default")
    assert snakemake_command(["-j1"], Path())[-2:] == ["--workflow-profile", "profiles/default/config.yaml"]


@cases
def test_a_target_after_an_option_of_several_words_stays_a_target(given, folder):
    command = snakemake_command(given, Path())
    assert command[len(PYTHON)] == "release" and command.count("release") == 1


@cases
def test_what_is_not_there_is_refused_by_name_before_anything_runs(given, named, folder, refused, monkeypatch):
    monkeypatch.setattr(os, "execve", lambda *_: pytest.fail("ran"))
    said = refused(["build", *given])
    assert named in said and said.count("\n") == 1


def test_a_corpus_is_described_once_and_built_by_one_command(folder, monkeypatch):
    became = []
    monkeypatch.setattr(os, "execve", lambda _, command, __: became.append(command))
    rows = "".join(f"Writer {n % 4},The rain fell on the town for {n} days and we waited.\n" for n in range(40))
    (folder / "Post.csv").write_text("author,text\n" + rows)
    main(["build", "release", "Post.csv", "-n"])
    entry, recipe = folder / "config/sources/post.yaml", folder / "post.yaml"
    assert became[0][len(PYTHON) :][:4] == ["release", "-n", "--configfile", "post.yaml"]
    entry.write_text(entry.read_text() + "# mine\n")
    main(["build", "release", "Post.csv", "-n"])
    assert became[0] == became[1] and recipe.is_file() and entry.read_text().endswith("# mine\n")
    assert main(["build", "Post.csv", "--column", "text=author"]) == 2 and len(became) == 2


def test_a_field_is_named_where_it_is_asked_for(folder, monkeypatch, capsys):
    became = []
    monkeypatch.setattr(os, "execve", lambda _, command, __: became.append(command))
    rows = "".join(f"Writer {n % 4},The rain fell on the town for {n} days and we waited.\n" for n in range(40))
    (folder / "post.csv").write_text("x,words\n" + rows)
    assert main(["build", "post.csv", "-n"]) == 2
    assert "--column author=NAME" in capsys.readouterr().err and not became
    main(["build", "post.csv", "--name", "mail", "--column", "author=x", "--column=text=words", "-n"])
    assert became[0][len(PYTHON) :][:3] == ["-n", "--configfile", "mail.yaml"]
    assert "author: x" in (folder / "config/sources/mail.yaml").read_text()


def test_a_recipe_of_other_files_is_not_built_in_their_place(folder, monkeypatch, capsys):
    became = []
    monkeypatch.setattr(os, "execve", lambda _, command, __: became.append(command))
    for place in ("one", "two"):
        (folder / place / "post").mkdir(parents=True)
        rows = "".join(f"Writer {n % 4},{place} fell on the town for {n} days and we waited.\n" for n in range(40))
        (folder / place / "post/a.csv").write_text("author,text\n" + rows)
    main(["build", "one/post", "-n"])
    assert main(["build", "two/post", "-n"]) == 2 and "post.yaml describes other files" in capsys.readouterr().err
    (folder / "one/post/b.csv").write_text("author,text\n" + rows)
    assert main(["build", "one/post", "-n"]) == 2 and len(became) == 1


def test_a_result_that_exists_is_a_target(folder):
    (folder / "results/mine").mkdir(parents=True)
    (folder / "results/mine/check.json").touch()
    given = Namespace(others=["results/mine/check.json"], name=None, column=[], encoding=None)
    assert _described(given, folder) == ["results/mine/check.json"]


def test_the_command_becomes_snakemake_with_all_that_it_was_given(monkeypatch):
    became = []
    monkeypatch.setattr(os, "execve", lambda _, command, environment: became.append((command, environment)))
    main(["build", "release", "--config", "name=mine", "filter={symbols: 0.4}", "--cores", "2"])
    ((command, environment),) = became
    monkeypatch.setenv(BUILD, environment[BUILD])
    assert index_command("pan").startswith("authbench build --cores 2 pan")
    monkeypatch.delenv(BUILD)
    assert index_command("pan").startswith("snakemake --cores 2 pan")
    assert command[len(PYTHON) :][:6] == ["release", "--config", "name=mine", "filter={symbols: 0.4}", "--cores", "2"]


def test_the_rules_lie_in_the_package_as_in_the_repository():
    project = ROOT / "workflow/authbench/core/shipped/project"
    for name in ("workflow/Snakefile", "workflow/common.smk", "workflow/rules", "workflow/scripts", "workflow/report",
                 "envs", "profiles"):  # fmt: skip
        assert (project / name).resolve() == ROOT / name
    tracked = subprocess.run(["git", "ls-files", project], cwd=ROOT, capture_output=True, text=True).stdout.split()
    assert not tracked or len(tracked) == 7
