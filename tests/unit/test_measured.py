"""Published counts of faults and walks are those of the points and walks that are kept."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))
import faults  # noqa: E402
import walks  # noqa: E402
from machine import write_table  # noqa: E402

PAGE = (ROOT / "docs/reliability.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("script", [faults, walks])
def test_the_page_has_the_counts_of_what_is_kept_and_nothing_was_wrong(script: ModuleType) -> None:
    lines = script.read_lines(script.KEPT)
    assert lines and [line for line in lines if line["wrong"]] == []
    assert script.table(lines) in PAGE


def test_no_point_and_no_walk_is_counted_twice() -> None:
    points = [(line["job"], line["kind"], line["number"], line["fault"]) for line in faults.read_lines(faults.KEPT)]
    numbers = [line["walk"] for line in walks.read_lines(walks.KEPT)]
    assert len(points) == len(set(points)) and len(numbers) == len(set(numbers))


def test_a_wrong_point_is_counted_as_one() -> None:
    point = {"job": "a", "kind": "read", "number": 1, "fault": "EIO", "status": 0, "fired": 1, "wrong": "it hangs"}
    said = faults.table([point, {**point, "number": 2, "status": 1, "wrong": ""}])
    assert "2 points in 1 jobs, 1 wrong results" in said
    assert "| read | EIO | 2 | 0 | 1 | 1 |" in said


def test_a_table_replaces_the_one_before(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- x -->\nold\n<!-- /x -->\nb\n")
    write_table(page, "x", "new")
    assert page.read_text() == "a\n<!-- x -->\nnew\n<!-- /x -->\nb\n"
