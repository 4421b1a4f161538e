"""The packages of the library build on one another, and none in a circle."""

import ast
import runpy
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


# What the check of a release may share with the stages that make one: what the format is, how it is read, how tokens
# are counted, what letters, topics and dates are (similarities are part of the format), modules of the ground, that
# decide nothing about texts, authors or splits; tables of characters; the types of settings, which decide nothing; the
# conditions under which a measured text goes, whose measurements the check counts again.
SHARED_WITH_THE_CHECK = {
    "arrays", "checking", "content_words", "dates", "errors", "filter_rules", "format", "function_words", "identity",
    "letters", "lookalikes", "nfc", "plugins", "printable", "records", "registry", "runtime", "settings", "shipped",
    "storage", "text_bytes", "tokens", "vocabulary",
}  # fmt: skip


def test_the_check_shares_no_code_with_the_stages() -> None:
    """Follow every import, those inside functions too, from the check to all that it may load."""
    reached, waiting = set[Path](), [*(LIBRARY / "checking").rglob("*.py")]
    while waiting:
        path = waiting.pop()
        if path in reached:
            continue
        reached.add(path)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            for name in names:
                if name.split(".")[0] == "authbench":
                    place = LIBRARY.joinpath(*name.split(".")[1:])
                    waiting += [file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()]
    rooms = {path.relative_to(LIBRARY).parts[0].removesuffix(".py") for path in reached}
    assert rooms - {"__init__"} <= SHARED_WITH_THE_CHECK, sorted(rooms - SHARED_WITH_THE_CHECK)
    assert {"checking", "format", "tokens"} <= rooms


def test_format_registry_and_measures_are_declared_once() -> None:
    rules = runpy.run_path(str(LIBRARY.parents[1] / "benchmarks/declarations.py"))["RULES"]
    modules = {path: ast.parse(path.read_text(encoding="utf-8")) for path in LIBRARY.rglob("*.py")}
    for declared, rule in rules.items():
        found = [path.relative_to(LIBRARY).as_posix() for path, module in modules.items() if rule(module)]
        assert len(found) == 1, f"{declared}: {found}"
