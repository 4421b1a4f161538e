"""Find the code of a user's function without running it, to detect changes."""

import ast
import hashlib
import importlib
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

from authbench.core.errors import InputError


def digest_of_code(function: str, base: Path = Path()) -> str:
    """Return the SHA-256 over the file of `module:function`, and over the files below `base` that it imports.

    Code from elsewhere (installed packages) and files that the function reads are ignored.

    Raises:
        InputError: the module is neither in `base` nor on the path of Python.
    """
    total = hashlib.sha256()
    for path in sorted(files_of(function, base)):
        total.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def files_of(function: str, base: Path = Path()) -> set[Path]:
    """Return the files that `digest_of_code` covers. Raises InputError if the module does not exist."""
    module, base = function.partition(":")[0], base.resolve()
    spec = _find(module, [str(base), *sys.path])
    if spec is None:
        raise InputError(
            f"{module}: there is no such module. Functions are looked for in the working directory ({base}) and in the "
            "folders of PYTHONPATH."
        )
    waiting, found = [(module, spec)], set[Path]()
    while waiting:
        name, spec = waiting.pop()
        path = Path(spec.origin or "")
        if path.suffix != ".py" or path in found:
            continue
        found.add(path)
        for other in _imported(name, path, bool(spec.submodule_search_locations)):
            if path.is_relative_to(base) and (inner := _find(other, [str(base)])):
                waiting.append((other, inner))
    return found


def _find(module: str, path: list[str]) -> ModuleSpec | None:
    """Locate a module without importing the packages around it."""
    importlib.invalidate_caches()  # files may be less than a second old
    spec = None
    name = ""
    for part in module.split("."):
        name = f"{name}.{part}" if name else part
        spec = PathFinder.find_spec(name, path)
        if spec is None:
            return None
        path = list(spec.submodule_search_locations or [])
    return spec


def _imported(name: str, path: Path, is_package: bool) -> Iterator[str]:
    """Yield the modules that a file may import, and the names of `from x import name`, which may be modules."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return  # the import reports the error
    package = name if is_package else name.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            origin = ".".join([*above, *filter(None, [node.module])])
            if origin:
                yield origin
                yield from (f"{origin}.{alias.name}" for alias in node.names)
