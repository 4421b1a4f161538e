"""Claims about what tests share: helpers lie in modules of their own, and one of them knows the shared folders."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from drawn_once import content, remembering

from authbench.presentation.charts import Canvas, Chart
from authbench.presentation.palette import Mark
from authbench.presentation.plots import Value

TESTS = Path(__file__).parents[1]
# Also in programs that a test writes out for another process.
OF_A_TEST = re.compile(r"^\s*(?:from (?:\w+\.)*test_\w+ import|import (?:\w+\.)*test_\w+)", re.MULTILINE)
SHARED = re.compile(r"AUTHBENCH_(?:DATA|ORACLES)\b|/ ?[\"']?shared\b")


def modules() -> Iterator[tuple[str, str]]:
    """Yield path and text of every module of the tests but this one."""
    for path in sorted(TESTS.rglob("*.py")):
        if path != Path(__file__):
            yield path.relative_to(TESTS).as_posix(), path.read_text(encoding="utf-8")


def test_no_module_imports_helpers_from_a_test() -> None:
    assert [name for name, text in modules() if OF_A_TEST.search(text)] == []


def test_one_module_says_where_the_shared_folders_are() -> None:
    assert [name for name, text in modules() if SHARED.search(text)] == ["shared_folders.py"]


def test_helpers_of_one_name_are_one_module() -> None:
    """All folders of tests are on one path of modules, where the first of two would hide the other."""
    names = [Path(name).stem for name, _ in modules() if not Path(name).name.startswith(("test_", "conftest"))]
    assert len(names) == len(set(names)) > 10


@pytest.mark.parametrize(
    "line",
    ["from test_figures import every_kind", "    import test_figures", "from unit.test_figures import every_kind"],
)
def test_such_imports_are_found(line: str) -> None:
    assert OF_A_TEST.search(f"import os\n{line}\n")
    assert not OF_A_TEST.search("from tiny_checkpoint import write_checkpoint\nimport tests_of_others\n")


def chart(name: str, **read: object) -> Chart:
    def draw(canvas: Canvas) -> None:
        canvas.tips |= {one: str(value) for one, value in read.items()}

    return Chart(name, name, "", 1.0, draw)


def test_charts_are_drawn_once_where_they_read_the_same_and_again_where_anything_differs() -> None:
    drawn: list[Chart] = []
    draw = remembering(lambda one: (drawn.append(one), ("", {str(len(drawn)): ""}))[1])
    number = Value("one", 0.1 + 0.2, Mark("#000000", "o"), "")
    first = draw(chart("any", rows=[number]))
    assert draw(chart("any", rows=[replace(number)])) == first and len(drawn) == 1
    others = [chart("other", rows=[number]), chart("any", rows=[replace(number, value=0.3)]), chart("any", rows=[])]
    assert len({str(draw(one)) for one in [chart("any", rows=[number]), *others]}) == 4


@pytest.mark.parametrize("read", [pl.DataFrame({"a": [1]}), np.arange(9), object(), len, {"a": [object()]}])
def test_a_chart_that_reads_what_words_do_not_tell_is_drawn_each_time(read: object) -> None:
    assert content(chart("any", rows=read)) is None
