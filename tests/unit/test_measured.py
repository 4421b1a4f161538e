"""Published counts of faults and walks are those of the points and walks that are kept."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))
import broken_builds  # noqa: E402
import faults  # noqa: E402
import resumed  # noqa: E402
import walks  # noqa: E402
from machine import write_table  # noqa: E402

PAGE = (ROOT / "docs/measured/faults.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("script", [faults, broken_builds, walks])
def test_the_page_has_the_counts_of_what_is_kept_and_nothing_was_wrong(script):
    lines = resumed.read_lines(script.KEPT)
    assert bool(lines) == script.KEPT.exists() and [line for line in lines if line["wrong"]] == []
    assert script.table(lines) in PAGE


@pytest.mark.parametrize(
    ("script", "names"),
    [(faults, faults.Point._fields), (broken_builds, faults.Point._fields), (walks, ("walk",))],
    ids=["points", "builds", "walks"],
)
def test_nothing_is_counted_twice(script, names):
    tried = [tuple(line[name] for name in names) for line in resumed.read_lines(script.KEPT)]
    assert len(tried) == len(set(tried))


def test_a_run_records_each_trial_and_goes_on_until_its_time_is_over(tmp_path):
    path = tmp_path / "trials.jsonl"

    def attempt(trial):
        return {"trial": trial, "wrong": ""}

    resumed.run([1, 2], attempt, path, minutes=1)
    resumed.run([3], attempt, path, minutes=1)
    resumed.run([4], attempt, path, minutes=-1)
    assert [line["trial"] for line in resumed.read_lines(path)] == [1, 2, 3]
    resumed.end_with(resumed.read_lines(path), lambda lines: f"{len(lines)} trials")
    with pytest.raises(SystemExit):
        resumed.end_with([{"wrong": "it hangs"}], lambda lines: "")


def test_a_wrong_point_is_counted_as_one():
    point = {"job": "a", "kind": "read", "number": 1, "fault": "EIO", "status": 0, "fired": 1, "wrong": "it hangs"}
    said = faults.table([point, {**point, "number": 2, "status": 1, "wrong": ""}])
    assert "2 points in 1 jobs, 1 wrong results" in said
    assert "| EIO | read | 2 | 0 | 1 | 1 |" in said


def test_a_build_whose_fault_did_not_come_is_not_counted():
    build = {"job": "a", "kind": "read", "number": 1, "fault": "EIO", "status": 1, "fired": 1, "wrong": ""}
    said = broken_builds.table([build, {**build, "job": "b", "status": 0}, {**build, "job": "c", "fired": 0}])
    assert "2 builds with a fault in one of 2 jobs, 0 wrong results" in said
    assert "| EIO | read | 2 | 1 | 1 | 0 |" in said


def test_a_table_replaces_the_one_before(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- x -->\nold\n<!-- /x -->\nb\n")
    write_table(page, "x", "new")
    assert page.read_text() == "a\n<!-- x -->\nnew\n<!-- /x -->\nb\n"
