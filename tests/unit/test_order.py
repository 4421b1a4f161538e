"""Claims about the order in which tests begin."""

import ast
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from random import Random
from types import SimpleNamespace

import open_corpora
import pytest
from extras import HEAVY
from order import LONGEST, WHOLE_RUNS, group_of, of_whole_runs, scheduled

TESTS = Path(__file__).parents[1]
UNITS = [f"test_unit_{number}" for number in range(20)]
TOGETHER = UNITS[::3]  # modules of which a test stays with others


@dataclass(frozen=True)
class Item:
    path: Path
    name: str
    fixturenames: tuple[str, ...] = ()

    def get_closest_marker(self, name: str) -> str | None:
        return name if self.path.stem in TOGETHER and self.name == "test_1" else None


def items(seed: int) -> list[Item]:
    """Tests of whole runs and of functions, their modules in an order of chance."""
    fixtures = {"test_golden": ("demo",), "test_kill": ("demo",), "test_names": ("tmp_path",)}
    modules = [
        *[TESTS / "unit" / f"{name}.py" for name in UNITS],
        *[TESTS / "pipeline" / f"{name}.py" for name in ("test_golden", "test_names", "test_choices")],
        *[TESTS / "long" / f"{name}.py" for name in ("test_kill", "test_cluster", "test_sheets")],
    ]
    Random(seed).shuffle(modules)
    return [Item(path, f"test_{n}", fixtures.get(path.stem, ())) for path in modules for n in range(1 + len(path.stem))]


@pytest.mark.parametrize("seed", range(8))
def test_all_tests_run_the_longest_early_and_each_module_in_one_go(seed: int) -> None:
    given = items(seed)
    found = scheduled(given)  # type: ignore[arg-type]
    assert sorted(map(id, found)) == sorted(map(id, given))
    modules = [path for path, _ in groupby(found, key=lambda item: item.path)]
    assert len(modules) == len(set(modules))
    assert "demo" in found[0].fixturenames
    names = [path.stem for path in modules]
    whole = [name for name in names[1:] if name not in UNITS]
    longest = [name for name in LONGEST if name in whole]
    assert whole[: len(longest)] == longest
    left = names[max(map(names.index, longest)) :]
    left = left[len(left) - sum(name in UNITS for name in left) :]
    assert left and left == sorted(left, key=lambda name: name not in TOGETHER), "what any process may take comes last"
    assert left[-1] not in TOGETHER, "no small tests are left for the process that is through first"
    for module in set(modules):
        of_module = [item for item in given if item.path == module]
        assert [item for item in found if item.path == module] == of_module, "the order of chance is kept"


def test_one_folder_alone_keeps_all_its_tests() -> None:
    for folder in ("unit", *WHOLE_RUNS):
        some = [item for item in items(1) if item.path.parent.name == folder]
        found = scheduled(some)  # type: ignore[arg-type]
        assert sorted(map(id, found)) == sorted(map(id, some))
    assert scheduled([]) == []


def test_the_longest_modules_and_the_folders_of_whole_runs_are_there() -> None:
    there = {path.stem for folder in WHOLE_RUNS for path in (TESTS / folder).glob("test_*.py")}
    assert there >= set(LONGEST)


def test_a_process_takes_any_test_of_a_function(request: pytest.FixtureRequest) -> None:
    assert request.node.get_closest_marker("xdist_group") is None
    assert not of_whole_runs(request.node)


@pytest.fixture(scope="module")
def costly_to_make() -> object:
    return object()


@pytest.fixture
def of_it(costly_to_make: object) -> object:
    return costly_to_make


def test_one_process_takes_all_tests_that_a_fixture_of_their_module_serves(
    request: pytest.FixtureRequest, of_it: object
) -> None:
    marker = request.node.get_closest_marker("xdist_group")
    assert marker and marker.args == ("unit/test_order",)
    if request.config.getoption("loadgroup", default=False):  # among processes, which learn of a group by this name
        assert request.node.nodeid.endswith("@unit/test_order")


def test_one_process_takes_a_module_of_whole_runs_and_one_all_that_ingests_real_corpora() -> None:
    def group(folder: str, name: str, **module: object) -> str | None:
        item = SimpleNamespace(path=TESTS / folder / f"{name}.py", module=SimpleNamespace(**module), fixturenames=())
        return group_of(item)  # type: ignore[arg-type]

    assert [group("pipeline", "test_names"), group("long", "test_kill")] == ["pipeline/test_names", "long/test_kill"]
    real = {
        group("unit", "test_labels_real", ingested=open_corpora.ingested),
        group("long", "test_kill", ingested=open_corpora.ingested),
    }
    assert real == {"real corpora"}


def test_one_process_takes_all_that_loads_the_tiny_transformer() -> None:
    for name in ("test_train", "test_provenance"):
        item = SimpleNamespace(
            path=TESTS / "unit" / f"{name}.py", module=SimpleNamespace(), fixturenames=["checkpoint"]
        )
        assert group_of(item) == "transformers"  # type: ignore[arg-type]


def imported_at_once(module: Path) -> set[str]:
    """Return what a file of tests imports, or asks pytest to import, outside of its functions."""
    names = set()
    pending = list(ast.parse(module.read_text(encoding="utf-8")).body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        pending.extend(ast.iter_child_nodes(node))
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "importorskip":
            names |= {argument.value for argument in node.args if isinstance(argument, ast.Constant)}
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize(
    "line", ["import torch.nn", "from torch import nn", "torch = pytest.importorskip('torch')", "if True: import torch"]
)
def test_an_import_of_a_module_of_tests_is_found(tmp_path: Path, line: str) -> None:
    (tmp_path / "test_it.py").write_text(f"{line}\ndef test_it():\n    import mteb\n", encoding="utf-8")
    assert imported_at_once(tmp_path / "test_it.py") == {"torch"}


def test_no_process_waits_for_what_only_few_tests_import() -> None:
    found = {path.name: imported_at_once(path) & HEAVY for path in TESTS.rglob("*.py")}
    assert {name: names for name, names in found.items() if names} == {}
