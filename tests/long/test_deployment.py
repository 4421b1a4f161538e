"""The workflow runs in a user's own folder: as a module of another workflow, by path or by github(), and with
--directory."""

import json
import shutil

import pytest
from deployed import VOCABULARY, deploy, install
from project import ROOT, jobs_of, rules_of

from authbench import __version__

COUNTS = "results/demo/ingest/douban/counts.json"
BUILDS_ALL = {"write_release", "check_release", "list_removed", "leaderboard"}


@pytest.mark.parametrize(("snakefile", "names"), [("workflow/Snakefile", ""), ("Snakefile", " as benchmark_*")])
def test_a_module_by_path_builds_everything_by_default(fresh, tmp_path, snakefile, names):
    user = deploy(tmp_path, f'"{fresh.folder / snakefile}"', names=names)
    prefix = "benchmark_" if names else ""
    assert {prefix + rule for rule in BUILDS_ALL} < rules_of(user.plan(env=VOCABULARY))


def test_a_module_reads_the_users_entries_and_corpora_and_writes_to_the_users_results(fresh, tmp_path):
    settings = {"name": "mine", "raw_dir": "resources/raw", "sources": ["own"], "missing_sources": "skip"}
    settings["sample"] = {"languages": {"zh": 100}, "genres": {"zh": {"*": 100}}}
    settings["evaluate"] = {"models": ["random", "mine"]}
    user = deploy(tmp_path, f'"{fresh.folder / "workflow/Snakefile"}"', settings)
    for kind, entry, own in (("sources", "douban", "own"), ("models", "tfidf", "mine")):
        (tmp_path / "config" / kind).mkdir()
        shutil.copyfile(ROOT / f"config/{kind}/{entry}.yaml", tmp_path / f"config/{kind}/{own}.yaml")
    shutil.copytree(ROOT / "resources/demo/raw/douban", tmp_path / "resources/raw/own")
    user.snakemake("--cores", "1", "--until", "ingest_source", env=VOCABULARY)
    counts = json.loads((tmp_path / "results/mine/ingest/own/counts.json").read_text(encoding="utf-8"))
    assert list(counts["sources"]) == ["own"]
    evaluated = {(job.rule, job.wildcards) for job in user.plan(env=VOCABULARY) if job.rule.startswith("evaluate_")}
    assert evaluated == {("evaluate_sanity", ""), ("evaluate_model", "model=mine")}
    assert not (fresh.folder / "results/mine").exists()


def test_another_directory_holds_all_that_a_run_writes(fresh, tmp_path):
    before = sorted(fresh.folder.iterdir())
    status, said = fresh.snakemake("--directory", str(tmp_path), "--cores", "1", COUNTS, env=VOCABULARY)
    assert status == 0 and (tmp_path / COUNTS).is_file(), said
    assert sorted(fresh.folder.iterdir()) == before


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    return install(tmp_path_factory.mktemp("installed"))


def test_a_module_by_github_runs_the_installed_package(installed, tmp_path):
    user = deploy(tmp_path / "user", installed.source)
    status, printed = installed.snakemake(user, "--dry-run", "--quiet", "host")
    assert status == 0 and rules_of(jobs_of(printed)) > BUILDS_ALL, printed
    status, printed = installed.snakemake(user, "--cores", "1", COUNTS)
    assert status == 0 and (user.folder / COUNTS).is_file(), printed


@pytest.mark.parametrize("version", ["0.0.0", None])
def test_a_module_by_github_needs_the_package_of_its_version(installed, tmp_path, version):
    package = tmp_path / "packages/authbench/__init__.py"
    package.parent.mkdir(parents=True)
    package.write_text(f'__version__ = "{version}"' if version else "raise ImportError", encoding="utf-8")
    user = deploy(tmp_path / "user", installed.source)
    status, printed = installed.snakemake(user, "--dry-run", packages=package.parents[1])
    assert status != 0 and f"these rules are of AuthBench {__version__} and need the package of that version" in printed
    assert f"installed is {version or 'none'}" in printed and "Traceback" not in printed
    assert not (user.folder / "results").exists()
