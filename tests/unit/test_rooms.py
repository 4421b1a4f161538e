"""The wings of the library build on one another in one order, and the packages of a wing in no circle."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import authbench

LIBRARY = Path(authbench.__file__).parent
# From the ground up: a wing imports itself and those before it.
WINGS = ["core", "config", "release", "build", "models", "scoring", "reports", "suites", "publish", "audit", "app"]
FACES = {LIBRARY / "__init__.py", LIBRARY / "__main__.py"}


def files_of(*names):
    """Return the files of the library that dotted names, also of what a module holds, may mean."""
    places = [LIBRARY.joinpath(*name.split(".")[1:]) for name in names if name.split(".")[0] == "authbench"]
    files = [file for place in places for file in (place.with_suffix(".py"), place / "__init__.py")]
    return [file for file in files if file.is_file()]


def imported_by(path):
    """Yield the files of the library that a module imports, also within functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from files_of(node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
        elif isinstance(node, ast.Import):
            yield from files_of(*(alias.name for alias in node.names))


def room(path):
    """Return the package of a wing, or the module of one, that a file belongs to: `build/dedup`, `core/records`."""
    return "/".join(path.relative_to(LIBRARY).with_suffix("").parts[:2]).removesuffix("/__init__")


def test_a_wing_imports_only_wings_below_it():
    assert {path.name for path in LIBRARY.iterdir() if path.name[0] != "_" and path.is_dir()} == set(WINGS)
    up = [
        f"{room(path)} imports {room(other)}"
        for path in LIBRARY.rglob("*.py")
        for other in imported_by(path)
        if {path, other}.isdisjoint(FACES)
        and WINGS.index(path.relative_to(LIBRARY).parts[0]) < WINGS.index(other.relative_to(LIBRARY).parts[0])
    ]
    assert up == []


def test_no_package_imports_one_that_imports_it():
    rooms = {}
    for path in LIBRARY.rglob("*.py"):
        rooms.setdefault(room(path), set()).update(map(room, imported_by(path)))
    built = list(TopologicalSorter({one: others - {one} for one, others in rooms.items()}).static_order())
    assert built.index("core/storage") < built.index("build/release") < built.index("app/cli")


# What the check of a release may share with the stages that make one: what the format is, how it is read, how tokens
# are counted, what letters, topics and dates are (similarities are part of the format), modules of the ground, that
# decide nothing about texts, authors or splits; tables of characters; the types of settings, which decide nothing; the
# conditions under which a measured text goes, whose measurements the check counts again.
SHARED_WITH_THE_CHECK = {
    "config", "core", "config/filter_rules", "config/plugins", "config/registry", "config/settings", "core/arrays",
    "core/content_words", "core/dates", "core/errors", "core/function_words", "core/identity", "core/letters",
    "core/json_values", "core/lookalikes", "core/nfc", "core/printable", "core/product_kernels", "core/records",
    "core/runtime", "core/shipped", "core/storage", "core/text_bytes", "core/tokens", "core/vocabulary", "core/words",
    "release", "release/checking", "release/format",
}  # fmt: skip


def test_the_check_shares_no_code_with_the_stages():
    """Follow every import, those inside functions too, from the check to all that it may load."""
    reached, waiting = set[Path](), [*(LIBRARY / "release/checking").rglob("*.py")]
    while waiting:
        if (path := waiting.pop()) not in reached:
            reached.add(path)
            waiting += imported_by(path)
    rooms = {room(path) for path in reached - FACES}
    assert rooms <= SHARED_WITH_THE_CHECK, sorted(rooms - SHARED_WITH_THE_CHECK)
    assert {"release/checking", "release/format", "core/tokens"} <= rooms
