"""Claims about pairs and verifiers on a finished demo."""

import json

from project import Project

from authbench.format.pan import read_problems


def test_pairs_of_the_demo_are_made_answered_and_scored(another: Project) -> None:
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


def test_a_verifier_that_is_not_there_stops_the_run_before_it_begins(fresh: Project) -> None:
    said = fresh.refusal(*fresh.recipe({"pan": {"verifiers": ["naiv"]}}))
    assert "pan.verifiers: there is no verifier 'naiv'" in said and "did you mean 'naive'?" in said
