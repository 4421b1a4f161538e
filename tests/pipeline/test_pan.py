"""Claims about pairs and verifiers on a finished demo."""

import json

from authbench.app.cli import main
from authbench.release.format.pan import read_problems


def test_pairs_of_the_demo_are_made_answered_and_scored(another):
    asked = another.recipe({"pan": {"verifiers": ["naive", "topicfit"], "topic_model": 10}})
    another.build("pan", *asked)
    folder = another.results / "pan"
    scores = json.loads((folder / "report/scores.json").read_text())
    assert set(scores) == {"naive", "topicfit"}
    problems = read_problems(folder / "pairs/test")
    assert 0 < int(problems["same"].sum()) < problems.height
    assert "naive" in (folder / "report/index.html").read_text()
    assert another.plan("pan", *asked) == []

    more = another.recipe({"pan": {"verifiers": ["naive", "ppm"], "topic_model": 10}})
    assert [(job.rule, job.wildcards) for job in another.plan("pan", *more) if job.rule != "pan"] == [
        ("answer_pairs", "verifier=ppm")
    ]


def test_a_verifier_that_is_not_there_stops_the_run_before_it_begins(fresh):
    said = fresh.refusal(*fresh.recipe({"pan": {"verifiers": ["naiv"]}}))
    assert "pan.verifiers: there is no verifier 'naiv'" in said and "did you mean 'naive'?" in said


def test_the_demo_is_too_small_a_population_of_a_case(demo, tmp_path, capsys):
    known, questioned = tmp_path / "k.txt", tmp_path / "q.txt"
    known.write_text("It is the letter which I wrote to you when it was late. " * 4, encoding="utf-8")
    questioned.write_text("And it was the other one that they have sent to him. " * 4, encoding="utf-8")
    case = ["case", "--questioned", str(questioned), "--known", str(known), "--out", str(tmp_path / "out")]
    assert main([*case, "--population", str(demo.results / "release")]) == 2
    assert "authors in en have a text of 75%" in capsys.readouterr().err and not (tmp_path / "out").exists()
