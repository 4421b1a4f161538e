"""The packages of the library build on one another, and none in a circle."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import authbench

LIBRARY = Path(authbench.__file__).parent


def room(module: str) -> str:
    """Return the package or module below `authbench` that a module belongs to."""
    return module.split(".")[1]


def test_no_package_imports_one_that_imports_it() -> None:
    imported: dict[str, set[str]] = {}
    for path in LIBRARY.rglob("*.py"):
        own = path.relative_to(LIBRARY).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("authbench."):
                imported.setdefault(own, set()).add(room(node.module))
    built = list(TopologicalSorter({own: others - {own} for own, others in imported.items()}).static_order())
    assert built.index("storage") < built.index("release") < built.index("cli")
