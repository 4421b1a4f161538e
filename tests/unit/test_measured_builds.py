"""A measured build goes on where it was stopped, and what its runs took is summed."""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path += [str(ROOT / "benchmarks"), str(ROOT / "tests/pipeline")]

import build  # noqa: E402
from project import copy_project  # noqa: E402


def tell(folder, name, log, end, cpu):
    said = {"log": log, "start": end - 1, "begin": None, "end": end, "cpu": cpu, "children": 0.0, "peak": 100.0}
    (folder / f"{name}.json").write_text(json.dumps(said))


def test_of_a_job_that_ran_again_the_last_time_counts(tmp_path):
    tell(tmp_path, "a", "/results/x/logs/normalize_text/1-of-2.log", 9, 5)
    tell(tmp_path, "b", "/results/x/logs/normalize_text/1-of-2.log", 5, 3)
    tell(tmp_path, "c", "/results/x/logs/normalize_text/2-of-2.log", 6, 2)
    tell(tmp_path, "d", None, 4, 1)
    tell(tmp_path, "e", None, 10, 1)
    assert [(one.job, one.cpu) for one in build.read_told(tmp_path)] == [
        (None, 1),
        ("normalize_text/2-of-2", 2),
        ("normalize_text/1-of-2", 5),
        (None, 1),
    ]


def test_a_copy_of_the_project_is_renewed_and_keeps_its_results(tmp_path):
    project = copy_project(tmp_path)
    result, rule = tmp_path / "results/x/check.json", tmp_path / "Snakefile"
    result.parent.mkdir(parents=True)
    result.write_text("{}")
    rule.write_text("old")
    assert copy_project(tmp_path) == project
    assert result.read_text() == "{}"
    assert rule.read_bytes() == (ROOT / "Snakefile").read_bytes()
