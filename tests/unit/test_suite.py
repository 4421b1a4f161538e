"""Claims about the tests themselves: what they may import, and where they look for files that are not in git."""

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
MODULES = sorted(TESTS.rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    """Yield the names of all modules that a file imports, wherever the import stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_nothing_is_imported_from_a_module_of_tests() -> None:
    modules = {path.stem for path in MODULES if path.name.startswith("test_")}
    assert len(modules) > 80
    wrong = {path.name: sorted(found) for path in MODULES if (found := modules & set(imported(path)))}
    assert wrong == {}, "move what they share into a module without tests"


def test_no_two_modules_of_helpers_have_one_name() -> None:
    helpers = [path.stem for path in MODULES if not path.name.startswith(("test_", "conftest"))]
    assert sorted(helpers) == sorted(set(helpers))


def test_folders_outside_the_repository_are_named_in_one_module() -> None:
    variables = ("AUTHBENCH_" + "DATA", "AUTHBENCH_" + "ORACLES")
    named = {path.name for path in MODULES if any(name in path.read_text(encoding="utf-8") for name in variables)}
    assert named == {"shared_folders.py"}
