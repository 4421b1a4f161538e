"""Claims about what tests share: helpers lie in modules of their own, and one of them knows the shared folders."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
# Also in programs that a test writes out for another process.
OF_A_TEST = re.compile(r"^\s*(?:from (?:\w+\.)*test_\w+ import|import (?:\w+\.)*test_\w+)", re.MULTILINE)
SHARED = re.compile(r"AUTHBENCH_(?:DATA|ORACLES)\b|/ ?[\"']?shared\b")


def modules():
    """Yield path and text of every module of the tests but this one."""
    for path in sorted(TESTS.rglob("*.py")):
        if path != Path(__file__):
            yield path.relative_to(TESTS).as_posix(), path.read_text(encoding="utf-8")


def test_no_module_imports_helpers_from_a_test():
    assert [name for name, text in modules() if OF_A_TEST.search(text)] == []


def test_one_module_says_where_the_shared_folders_are():
    assert [name for name, text in modules() if SHARED.search(text)] == ["shared_folders.py"]


def test_helpers_of_one_name_are_one_module():
    """All folders of tests are on one path of modules, where the first of two would hide the other."""
    names = [Path(name).stem for name, _ in modules() if not Path(name).name.startswith(("test_", "conftest"))]
    assert len(names) == len(set(names)) > 10
