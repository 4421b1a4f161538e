"""Hash code: an edit reruns the jobs that use it, and a fresh clone reruns none.

Snakemake notices an edited adapter but not the modules it imports, and takes a touched file for an edited file.
Therefore each rule has among its `params` a hash of the syntax trees of its adapter and of the package's modules that
it imports, directly or indirectly. Comments, docstrings and layout do not count.
"""

import ast
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from importlib.resources import files
from pathlib import Path

from authbench.core.storage.atomic import write_text

PACKAGE = Path(str(files("authbench")))
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_PARSED: dict[str, tuple[str, list[str]]] = {}  # results of `_parse`, by hashes of sources


def code_hash(adapter: Path) -> str:
    """Return a hash of an adapter and of every module of the package that it imports, directly or indirectly."""
    parsed = {module or adapter.name: _read(path)[0] for module, path in closure(adapter).items()}
    return hashlib.sha256(repr(sorted(parsed.items())).encode()).hexdigest()[:16]


def closure(adapter: Path) -> dict[str, Path]:
    """Return the files that an adapter runs, by module: the adapter under "", and its imports, direct or indirect."""
    files = {"": adapter}
    waiting = sorted(_read(adapter)[1])
    while waiting:
        module = waiting.pop()
        if module not in files:
            files[module] = _modules(PACKAGE)[module]
            waiting.extend(_read(files[module])[1])
    return files


def file_hash(*paths: str | Path | None) -> str:
    """Return a hash of the contents of files, in the order given; None is skipped."""
    contents = hashlib.sha256()
    for path in paths:
        if path is not None:
            contents.update(hashlib.sha256(Path(path).read_bytes()).digest())
    return contents.hexdigest()[:16]


def share_code_with_jobs(working_directory: Path) -> None:
    """Set the environment in which jobs, also in conda environments, import the package that `code_hash` reads.

    An installed package is reached through a link in .snakemake, which excludes the packages installed next to it.
    AUTHBENCH_RUN tells `runtime.jit` that a process compiles only our kernels.
    """
    paths = [str(_importable(working_directory)), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    os.environ["AUTHBENCH_RUN"] = "1"
    os.environ.setdefault("NUMBA_CACHE_DIR", str(working_directory / ".snakemake/compiled"))
    os.environ.setdefault("MPLCONFIGDIR", str(working_directory / ".snakemake/matplotlib"))  # its index of fonts


def _importable(working_directory: Path) -> Path:
    """Return a folder from which the package, and no other, can be imported."""
    if (PACKAGE.parent / "common.smk").is_file():
        return PACKAGE.parent
    place = hashlib.sha256(os.fsencode(PACKAGE)).hexdigest()[:16]
    folder = working_directory / ".snakemake/package" / place
    folder.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        (folder / PACKAGE.name).symlink_to(PACKAGE)
    return folder


def cache_parsed(path: Path) -> None:
    """Parse the modules of the package that changed since `path` was written, and keep the results there."""
    with suppress(OSError, TypeError, ValueError):  # none yet, or a damaged one
        _PARSED.update(json.loads(path.read_text(encoding="utf-8")))
    known = len(_PARSED)
    for module in _modules(PACKAGE).values():
        _read(module)
    if len(_PARSED) > known:
        write_text(path, json.dumps(_PARSED))


@cache
def _read(path: Path) -> tuple[str, frozenset[str]]:
    """Return a hash of a file's syntax tree and the package's modules that it imports, also within functions."""
    source = path.read_bytes()
    mark = f"{hashlib.sha256(source).hexdigest()} {sys.hexversion:x}"  # the AST depends on the Python version
    if mark not in _PARSED:
        _PARSED[mark] = _parse(source)
    tree_hash, names = _PARSED[mark]
    return tree_hash, frozenset(names).intersection(_modules(PACKAGE))


def _parse(source: bytes) -> tuple[str, list[str]]:
    """Return a hash of a source's syntax tree, and all names below `authbench` that it imports."""
    tree = ast.parse(source)
    names: set[str] = set()
    for node in (tree, *_statements(tree.body)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False):
            node.body = node.body[1:]
    tree_hash = hashlib.sha256(ast.dump(tree).encode()).hexdigest()
    return tree_hash, sorted(name for name in names if name.startswith("authbench."))


def _statements(block: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Yield all statements of a block at any depth; expressions, most of a tree, are skipped."""
    for node in block:
        yield node
        for part in ("body", "handlers", "orelse", "finalbody", "cases"):
            yield from _statements(getattr(node, part, ()))


@cache
def _modules(package: Path) -> dict[str, Path]:
    """Return the files of a package's modules and packages by dotted name."""
    found = {}
    for path in package.rglob("*.py"):
        parts = path.relative_to(package).with_suffix("").parts
        found[".".join((package.name, *(parts[:-1] if parts[-1] == "__init__" else parts)))] = path
    return found
