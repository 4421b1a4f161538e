"""A filter of an installed package in a whole build: what it drops, what is said of it, and what runs again."""

import csv
import json

import polars as pl
import pytest
from plugged import forget, install
from project import jobs_of, surroundings
from tiny import RECIPE, make_tiny
from warm_snakemake import run_as_started

from authbench.config.plugins import find_plugin
from authbench.release.checking import check_release
from authbench.release.format.release import open_release, read_manifest
from authbench.reports.report.verify import unchecked

SHOUTED = {**RECIPE, "filter": {"plugins": {"shouting": 0.5}}}


def snakemake(project, site, settings, *more):
    """What a run says that has a folder of installed packages."""
    arguments = ["--cores", "2", *(more or ["release"]), *project.recipe(settings)]
    status, said = run_as_started(arguments, project.folder, surroundings({"PYTHONPATH": str(site)}))
    assert status == 0, said
    return said


@pytest.fixture(autouse=True)
def other_process():
    yield
    forget()


@pytest.fixture(scope="module")
def shouted(tmp_path_factory):
    """A release without the texts in capitals, and the packages that it was built with; one of them was not named."""
    site, project = tmp_path_factory.mktemp("site"), make_tiny(tmp_path_factory.mktemp("shouted"))
    install("shouting", site)
    install("titles", site).write_text("raise SystemExit('imported, though nobody named it')\n")
    letters = project.folder / "raw/letters/part0.csv"
    rows = list(csv.reader(letters.open(encoding="utf-8", newline="")))
    rows[1][2] = rows[1][2].upper()
    with letters.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    snakemake(project, site, SHOUTED)
    return project, site


def test_texts_are_dropped_for_the_reason_of_the_plug_in_which_the_release_states(shouted, monkeypatch):
    project, site = shouted
    monkeypatch.syspath_prepend(str(site))
    funnel = pl.read_csv(project.release / "funnel.csv").filter(pl.col("reason") == "shouting")
    assert funnel.rows() == [("letters", "filter", "shouting", 1)]
    manifest = read_manifest(project.release)
    assert manifest["config"]["filter"]["plugins"] == {"shouting": 0.5}
    assert manifest["versions"]["filter.plugins.shouting"] == str(find_plugin("filters", "shouting"))
    assert (manifest["filters"]["shouting"]["reason"], manifest["filters"]["shouting"]["drops"]) == (
        "shouting",
        "above",
    )
    report = (project.release / "report.html").read_text(encoding="utf-8")
    assert manifest["filters"]["shouting"]["about"] in report and find_plugin("filters", "shouting").version in report
    assert check_release(project.release, {"sample": RECIPE["sample"]}) == []
    assert unchecked(project.release) == []


def test_the_check_computes_it_again_with_the_same_code_only_and_says_where_it_could_not(
    shouted, tmp_path, monkeypatch
):
    project, site = shouted
    other = project.copy(tmp_path / "other")
    path = other.release / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["config"]["filter"]["plugins"]["shouting"] = 0.0
    path.write_text(json.dumps(manifest), encoding="utf-8")
    here = tmp_path / "site"
    module = install("shouting", here)
    monkeypatch.syspath_prepend(str(here))
    texts = [part["content"] for split in manifest["splits"] for part in open_release(other.release).candidates(split)]
    with_capitals = sum(any(map(str.isupper, text)) for part in texts for text in part)
    (found,) = [one for one in check_release(other.release) if one.code == "measures"]
    assert len(found.ids) == with_capitals > 9
    module.write_text("raise SystemExit('imported, though the release states other code')\n", encoding="utf-8")
    forget()
    assert [one for one in check_release(other.release) if one.code == "measures"] == []
    (line,) = unchecked(other.release)
    assert manifest["versions"]["filter.plugins.shouting"] in line and str(find_plugin("filters", "shouting")) in line


def test_a_change_of_its_code_runs_what_uses_it_again_and_a_threshold_only_decides(shouted, tmp_path):
    project, site = shouted
    settings = {**SHOUTED, "filter": {"plugins": {"shouting": 0.4}}}
    planned = jobs_of(snakemake(project, site, settings, "release", "--dry-run", "--quiet", "host"))
    assert {job.rule for job in planned if job.first} >= {"apply_filters"}
    assert "measure_texts" not in {job.rule for job in planned}
    module = install("shouting", tmp_path)
    module.write_text(module.read_text(encoding="utf-8") + "\nWORDS = 2\n", encoding="utf-8")
    changed = project.copy(tmp_path / "changed")
    planned = jobs_of(snakemake(changed, tmp_path, SHOUTED, "release", "--dry-run", "--quiet", "host"))
    assert {job.rule for job in planned if job.first} == {"measure_texts"}
    before = read_manifest(changed.release)["versions"]
    snakemake(changed, tmp_path, SHOUTED)
    after = read_manifest(changed.release)["versions"]
    assert {name for name in after if after[name] != before[name]} == {"filter.plugins.shouting"}


def test_a_form_of_a_plug_in_is_made_of_the_public_bundle_and_again_where_its_code_changed(shouted, tmp_path):
    project, site = shouted[0].copy(tmp_path / "published"), tmp_path / "site"
    install("shouting", site)
    module = install("titles", site)
    settings = {**SHOUTED, "publish": {"forms": ["beir", "titles"]}}
    snakemake(project, site, settings, "publish")
    assert (project.results / "publish/titles/test.txt").read_text(encoding="utf-8").startswith("doc_")
    module.write_text(module.read_text(encoding="utf-8") + "\nWORDS = 2\n", encoding="utf-8")
    planned = jobs_of(snakemake(project, site, settings, "publish", "--dry-run", "--quiet", "host"))
    assert [(job.rule, job.wildcards) for job in planned if job.first] == [("export_release", "form=titles")]


def test_a_metric_of_a_plug_in_is_in_the_leaderboard_and_scores_again_where_its_code_changed(shouted, tmp_path):
    project, site = shouted[0].copy(tmp_path / "scored"), tmp_path / "site"
    install("shouting", site)
    module = install("precision", site)
    settings = {**SHOUTED, "evaluate": {"models": ["random"], "metrics": ["average_precision"]}}
    snakemake(project, site, settings, "leaderboard")
    scores = json.loads((project.results / "evaluate/random/own/scores.json").read_text(encoding="utf-8"))
    assert list(scores["metrics"]) == ["plugins.average_precision"]
    module.write_text(module.read_text(encoding="utf-8") + "\nWORDS = 2\n", encoding="utf-8")
    planned = jobs_of(snakemake(project, site, settings, "leaderboard", "--dry-run", "--quiet", "host"))
    assert {job.rule for job in planned if job.first} == {"evaluate_sanity"}
