"""The workflow runs in a user's own folder: as a module of another workflow, by path or by github(), and with
--directory."""

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from project import ROOT, Project, copy_project, rules_of

from authbench import __version__
from authbench.vocabulary import find_vocabulary

AS_SNAKEDEPLOY_WRITES_IT = """
configfile: "config/config.yaml"

module authbench:
    snakefile: {snakefile}
    config: config

use rule * from authbench{names}
"""
VOCABULARY = {"TIKTOKEN_CACHE_DIR": str(find_vocabulary().resolve().parent)}
COUNTS = "results/demo/ingest/douban/counts.json"
BUILDS_ALL = {"write_release", "check_release", "list_removed", "leaderboard"}


def deploy(folder: Path, snakefile: str, settings: dict[str, object], names: str = "") -> Project:
    """Write what snakedeploy leaves in a user's folder: a Snakefile with one module, and the configuration."""
    (folder / "workflow").mkdir(parents=True)
    (folder / "config").mkdir()
    module = AS_SNAKEDEPLOY_WRITES_IT.format(snakefile=snakefile, names=names)
    (folder / "workflow/Snakefile").write_text(module, encoding="utf-8")
    (folder / "config/config.yaml").write_text(json.dumps(settings), encoding="utf-8")
    return Project(folder)


@pytest.mark.parametrize(("snakefile", "names"), [("workflow/Snakefile", ""), ("Snakefile", " as benchmark_*")])
def test_a_module_by_path_builds_everything_by_default(
    fresh: Project, tmp_path: Path, snakefile: str, names: str
) -> None:
    user = deploy(tmp_path, f'"{fresh.folder / snakefile}"', {}, names)
    prefix = "benchmark_" if names else ""
    assert {prefix + rule for rule in BUILDS_ALL} < rules_of(user.plan(env=VOCABULARY))


def test_a_module_reads_the_users_entries_and_corpora_and_writes_to_the_users_results(
    fresh: Project, tmp_path: Path
) -> None:
    settings = {"name": "mine", "raw_dir": "resources/raw", "sources": ["own"], "missing_sources": "skip"}
    settings["sample"] = {"languages": {"zh": 100}, "genres": {"zh": {"*": 100}}}
    settings["evaluate"] = {"models": ["random", "mine"]}
    user = deploy(tmp_path, f'"{fresh.folder / "workflow/Snakefile"}"', settings)
    for kind, entry, own in (("sources", "douban", "own"), ("models", "random", "mine")):
        (tmp_path / "config" / kind).mkdir()
        shutil.copyfile(ROOT / f"config/{kind}/{entry}.yaml", tmp_path / f"config/{kind}/{own}.yaml")
    shutil.copytree(ROOT / "resources/demo/raw/douban", tmp_path / "resources/raw/own")
    user.snakemake("--cores", "1", "--until", "ingest_source", env=VOCABULARY)
    counts = json.loads((tmp_path / "results/mine/ingest/own/counts.json").read_text(encoding="utf-8"))
    assert list(counts["sources"]) == ["own"]
    evaluated = {job.wildcards for job in user.plan(env=VOCABULARY) if job.rule == "evaluate_model"}
    assert evaluated == {"model=random", "model=mine"}
    assert not (fresh.folder / "results/mine").exists()


def test_another_directory_holds_all_that_a_run_writes(fresh: Project, tmp_path: Path) -> None:
    before = sorted(fresh.folder.iterdir())
    status, said = fresh.snakemake("--directory", str(tmp_path), "--cores", "1", COUNTS, env=VOCABULARY)
    assert status == 0 and (tmp_path / COUNTS).is_file(), said
    assert sorted(fresh.folder.iterdir()) == before


@dataclass(frozen=True)
class Installed:
    """The package as a wheel installs it, and Snakemake's cache of the repository that it was made of."""

    packages: Path
    cache: Path
    source: str

    def env(self, packages: Path | None = None) -> dict[str, str]:
        return {**VOCABULARY, "PYTHONPATH": str(packages or self.packages), "XDG_CACHE_HOME": str(self.cache)}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """A tag of the repository, which Snakemake finds in its cache, and nothing of it on the disk beside that."""
    folder = tmp_path_factory.mktemp("installed")
    repository = copy_project(folder / "repository").folder
    shutil.copytree(repository / "workflow/authbench", folder / "packages/authbench")  # follows links, as a wheel does
    shutil.rmtree(repository / "resources/vocabulary")
    tag = f"v{__version__}"
    commit = ["-c", "user.name=test", "-c", "user.email=test@example.org", "commit", "--quiet", "--message", "all"]
    for arguments in (["init", "--quiet"], ["add", "--all"], commit, ["tag", tag]):
        subprocess.run(["git", *arguments], cwd=repository, check=True)
    cached = folder / "cache/snakemake/snakemake/source-cache/snakemake-git-cache/github.com/owner/authbench"
    subprocess.run(["git", "clone", "--quiet", "--bare", repository, cached], check=True)
    shutil.rmtree(repository)
    source = f'github("owner/authbench", path="workflow/Snakefile", tag="{tag}")'
    return Installed(folder / "packages", folder / "cache", source)


def test_a_module_by_github_runs_the_installed_package(installed: Installed, tmp_path: Path) -> None:
    user = deploy(tmp_path / "user", installed.source, {})
    assert rules_of(user.plan(env=installed.env())) > BUILDS_ALL
    status, said = user.snakemake("--cores", "1", COUNTS, env=installed.env())
    assert status == 0 and (user.folder / COUNTS).is_file(), said


@pytest.mark.parametrize("version", ["0.0.0", None])
def test_a_module_by_github_needs_the_package_of_its_version(
    installed: Installed, tmp_path: Path, version: str | None
) -> None:
    package = tmp_path / "packages/authbench/__init__.py"
    package.parent.mkdir(parents=True)
    package.write_text(f'__version__ = "{version}"' if version else "raise ImportError", encoding="utf-8")
    user = deploy(tmp_path / "user", installed.source, {})
    said = user.refusal(env=installed.env(package.parents[1]))
    assert f"these rules are of AuthBench {__version__} and need the package of that version" in said
    assert f"installed is {version or 'none'}" in said and "Traceback" not in said
    assert not (user.folder / "results").exists()
