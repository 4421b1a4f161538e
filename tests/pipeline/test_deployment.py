"""The workflow runs in a user's own folder: as a module of another workflow, and with --directory."""

import json
import shutil
from pathlib import Path

import pytest
from project import ROOT, Project, rules_of

AS_SNAKEDEPLOY_WRITES_IT = """
configfile: "config/config.yaml"

module authbench:
    snakefile: {snakefile}
    config: config

use rule * from authbench{names}
"""
BUILDS_ALL = {"write_release", "check_release", "list_removed", "leaderboard"}


def deploy(folder: Path, snakefile: str, settings: dict[str, object], names: str = "") -> Project:
    """Write what snakedeploy leaves in a user's folder: a Snakefile with one module, and the configuration."""
    (folder / "workflow").mkdir(parents=True)
    (folder / "config").mkdir()
    module = AS_SNAKEDEPLOY_WRITES_IT.format(snakefile=snakefile, names=names)
    (folder / "workflow/Snakefile").write_text(module, encoding="utf-8")
    (folder / "config/config.yaml").write_text(json.dumps(settings), encoding="utf-8")
    return Project(folder)


@pytest.mark.parametrize("snakefile", ["workflow/Snakefile", "Snakefile"])
@pytest.mark.parametrize("names", ["", " as benchmark_*"])
def test_a_module_by_path_builds_everything_by_default(
    fresh: Project, tmp_path: Path, snakefile: str, names: str
) -> None:
    user = deploy(tmp_path, f'"{fresh.folder / snakefile}"', {}, names)
    prefix = "benchmark_" if names else ""
    assert {prefix + rule for rule in BUILDS_ALL} < rules_of(user.plan())


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
    user.snakemake("--cores", "1", "--until", "ingest_source")
    counts = json.loads((tmp_path / "results/mine/ingest/own/counts.json").read_text(encoding="utf-8"))
    assert list(counts["sources"]) == ["own"]
    evaluated = {job.wildcards for job in user.plan() if job.rule == "evaluate_model"}
    assert evaluated == {"model=random", "model=mine"}
    assert not (fresh.folder / "results/mine").exists()


def test_another_directory_holds_all_that_a_run_writes(fresh: Project, tmp_path: Path) -> None:
    before = sorted(fresh.folder.iterdir())
    counts = "results/demo/ingest/douban/counts.json"
    status, said = fresh.snakemake("--directory", str(tmp_path), "--cores", "1", counts)
    assert status == 0 and (tmp_path / counts).is_file(), said
    assert sorted(fresh.folder.iterdir()) == before
