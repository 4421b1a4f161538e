"""Style in the graph: one command from pages and files to the report, nothing twice, as `style run` writes it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from project import surroundings
from style_datasets import MODELS, write_datasets

TIMED = ("cost.", "index.html")  # texts per second stand there


@pytest.fixture(scope="module")
def styled(fresh, tmp_path_factory):
    """A copy of the project with a finished report of style, its settings, and the arguments that say so."""
    project = fresh.copy(tmp_path_factory.mktemp("style"))
    settings = write_datasets(project.folder)
    asked = project.recipe({"style": settings})
    project.build("style_report", *asked)
    return project, settings, asked


def jobs(project, asked):
    return {(job.rule, job.wildcards) for job in project.plan("style_report", *asked)}


EVERY_SCORE = {("score_style", f"style_model={model}") for model in MODELS} | {("style_report", "")}


def test_the_report_needs_no_release_and_a_second_run_does_nothing(styled):
    project, _, asked = styled
    assert not (project.results / "release").exists()
    page = (project.results / "style/report/index.html").read_text(encoding="utf-8")
    assert "Write them." in page, "the dataset without files is not named"
    assert jobs(project, asked) == set()


def test_the_command_line_writes_the_same_bytes(styled, tmp_path):
    project, settings, _ = styled
    seed = next(line.split()[1] for line in (project.folder / "config/config.yaml").open() if line.startswith("seed:"))
    words = [word for page in settings["datasets"] for word in ("--dataset", page)]
    words += [word for model in MODELS for word in ("--model", model)]
    words += ["--seed", seed, "--out", tmp_path]
    subprocess.run(
        [sys.executable, "-m", "authbench", "style", "run", settings["data"], *words],
        cwd=project.folder,
        env=surroundings({"PYTHONPATH": str(project.folder / "workflow")}),
        check=True,
        capture_output=True,
    )
    theirs = {
        path.relative_to(project.results / "style"): path.read_bytes()
        for path in (project.results / "style").rglob("*")
        if path.is_file() and not path.name.startswith((*TIMED, ".")) and not path.name.endswith("speed.json")
    }
    assert {Path("tfidf/chunk_and_pool.json"), Path("report/operational.csv")} < set(theirs)
    assert [path for path, content in theirs.items() if (tmp_path / path).read_bytes() != content] == []


def test_a_changed_page_is_scored_anew_and_moves_its_own_scores_alone(styled, tmp_path):
    project, settings, asked = styled
    before = json.loads((project.results / "style/tfidf/chunk_and_pool.json").read_bytes())["datasets"]
    other = project.copy(tmp_path / "copy")
    page = other.folder / settings["datasets"][1]
    page.write_text(page.read_text(encoding="utf-8").replace("budget: 12", "budget: 9"), encoding="utf-8")
    assert jobs(other, asked) == EVERY_SCORE
    status, said = other.snakemake("--cores", "1", "style_report", *asked)
    assert status == 0
    assert all(f"{model}: letters scored before" in said and f"{model}: notes in " in said for model in MODELS)
    after = json.loads((other.results / "style/tfidf/chunk_and_pool.json").read_bytes())["datasets"]
    assert after["letters"] == before["letters"]
    assert after["notes"]["tasks"]["clustering"] != before["notes"]["tasks"]["clustering"]
    assert after["notes"]["tasks"]["retrieval"] == before["notes"]["tasks"]["retrieval"]


def test_the_words_of_a_page_are_told_anew_and_nothing_is_scored(styled):
    project, settings, asked = styled
    page = settings["datasets"][0]
    with project.changed(page, lambda text: text.replace("title: letters", "title: Letters, as written")):
        assert jobs(project, asked) == {("style_report", "")}
    with project.changed(page, lambda text: text.replace("how: Write them.", "how: Ask for them.")):
        assert jobs(project, asked) == EVERY_SCORE, "how to get files is told with the results"


def test_changed_files_are_scored_anew_and_pages_that_nobody_asks_for_are_not_looked_at(styled):
    project, settings, asked = styled
    rows = project.folder / settings["data"] / "letters/rows.jsonl"
    written = rows.read_bytes()
    rows.write_bytes(written + b'{"text": "More.", "label": "a"}\n')
    assert jobs(project, asked) == EVERY_SCORE
    rows.write_bytes(written)
    with project.changed("config/style/STEL_feature.yaml", lambda text: text + "# A remark.\n"):
        assert jobs(project, asked) == set()


def test_a_model_more_is_one_job_more(styled, tmp_path):
    project, settings, _ = styled
    recipe = tmp_path / "more.yaml"
    recipe.write_text(json.dumps({"style": {**settings, "models": [*MODELS, "stylometric"]}}), encoding="utf-8")
    assert jobs(project, ("--configfile", str(recipe))) == {
        ("score_style", "style_model=stylometric"),
        ("style_report", ""),
    }
