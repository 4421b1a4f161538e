"""Claims about the order in which tests begin."""

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from random import Random

import pytest
from order import LONGEST, WHOLE_RUNS, of_whole_runs, scheduled

TESTS = Path(__file__).parents[1]
UNITS = [f"test_unit_{number}" for number in range(20)]


@dataclass(frozen=True)
class Item:
    path: Path
    name: str
    fixturenames: tuple[str, ...] = ()


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
    assert names[-1] in UNITS, "no small tests are left for the process that is through first"
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


def test_processes_share_the_tests_of_functions_but_never_a_module_of_whole_runs(
    request: pytest.FixtureRequest,
) -> None:
    marked = {item.path.parent.name: item.get_closest_marker("xdist_group") for item in request.session.items}
    assert marked["unit"] is None
    assert all(marker and marker.args for folder, marker in marked.items() if folder in WHOLE_RUNS)
    assert not of_whole_runs(request.node)
