"""RAVEN in the graph: one command from a table of texts to the report, and jobs as fine as they are asked for."""

from collections import Counter

import polars as pl

from authbench.suites.raven.documents import Design, planted_documents

SMALL = {"topics": 6, "folds": 2, "seeds": 1, "sizes": [], "group": False, "encoders": ["tfidf"]}


def test_every_verifier_on_every_fold_is_a_job_where_that_is_asked_for(fresh):
    asked = {**SMALL, "topics": 20, "folds": 5, "seeds": 2, "folds_per_job": 1, "subsets_per_job": 1}
    asked |= {"verifiers": ["ppm", "topicfit"]}
    jobs = Counter(job.rule for job in fresh.plan(*fresh.recipe({"raven": asked}), "--cores", "1", "raven"))
    assert jobs["raven_answers"] == 3 * 2 * 5
    assert {rule for rule in jobs if not rule.startswith("raven")} == set()


def test_one_command_makes_the_report_of_a_table(fresh, tmp_path):
    table = tmp_path / "texts {y}.parquet"  # braces, which are no wildcard
    pl.concat(planted_documents(1, Design(single=8, large=1, many=4))).write_parquet(table)
    asked = {**SMALL, "documents": str(table), "verifiers": ["ppm"]}
    project = fresh.copy(tmp_path / "project")
    told = project.build("raven", *project.recipe({"raven": asked}), "--quiet", "rules", cores=1)
    estimate = (project.results / "raven/duration.txt").read_text(encoding="utf-8")
    assert told.index(estimate) < told.index("raven_answers hits")
    report = project.results / "raven/report"
    assert pl.read_csv(report / "scores.csv").group_by("subset").len().sort("subset").rows() == [
        ("hits", 2),
        ("random-0", 2),
    ]
    assert "Topic shortcut test" in (report / "index.html").read_text(encoding="utf-8")
    assert not (project.results / "release").exists()
