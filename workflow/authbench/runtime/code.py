"""Which code does a stage depend on, and has it changed?

Snakemake notices an edited adapter but not the modules it imports, and takes a touched file for an edited one.
Each rule therefore carries a hash of what its adapter and the project's modules that it imports *say*
(comments, docstrings and layout left out), so that an edit reruns the stages that use it and a fresh clone nothing.
"""

import ast
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from authbench.runtime.caches import digest_of_kernels
from authbench.storage.atomic import write_text

PACKAGE = Path(__file__).parents[1]
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_SAID: dict[str, tuple[str, list[str]]] = {}  # what `_parse` gave, by hashes of sources


def code_hash(adapter: Path) -> str:
    """SHA-256 over the adapter and every `authbench` module it imports, directly or not."""
    found: dict[str, str] = {}
    found[adapter.name], imports = _read(adapter)
    waiting = sorted(imports)
    while waiting:
        module = waiting.pop()
        if module not in found:
            found[module], imports = _read(_path(module))
            waiting.extend(imports)
    return hashlib.sha256(repr(sorted(found.items())).encode()).hexdigest()[:16]


def file_hash(*paths: str | Path | None) -> str:
    """SHA-256 over the contents of data files, in the order given; a path of None is left out."""
    whole = hashlib.sha256()
    for path in paths:
        if path is not None:
            whole.update(hashlib.sha256(Path(path).read_bytes()).digest())
    return whole.hexdigest()[:16]


def share_code_with_jobs(root: Path) -> None:
    """Let every job of a run use the library below `root`, and not one that is installed: `code_hash` hashes this one.

    Compiled code is kept apart by all that it was compiled from, as numba looks at a function's own file only;
    AUTHBENCH_RUN lets `kernel` know that a process compiles nothing else.
    """
    paths = [str(root / "workflow"), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    os.environ["AUTHBENCH_RUN"] = "1"
    os.environ.setdefault("NUMBA_CACHE_DIR", str(root / ".snakemake/compiled" / digest_of_kernels()))


def remember(memory: Path) -> None:
    """Learn what the project's files say, and keep it in `memory`, so that the next start need not parse them."""
    with suppress(OSError, TypeError, ValueError):  # none yet, or a damaged one
        _SAID.update(json.loads(memory.read_text(encoding="utf-8")))
    known = len(_SAID)
    for path in PACKAGE.rglob("*.py"):
        _read(path)
    if len(_SAID) > known:
        write_text(memory, json.dumps(_SAID))


@cache
def _read(path: Path) -> tuple[str, frozenset[str]]:
    """What a file says, as a hash, and the project's modules that it imports, wherever the import stands."""
    source = path.read_bytes()
    mark = f"{hashlib.sha256(source).hexdigest()} {sys.hexversion:x}"  # an AST is another one in another Python
    if mark not in _SAID:
        _SAID[mark] = _parse(source)
    said, names = _SAID[mark]
    return said, frozenset(name for name in names if _path(name).exists())


def _parse(source: bytes) -> tuple[str, list[str]]:
    """A hash of what the source says, and all names below `authbench` that it imports."""
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
    said = hashlib.sha256(ast.dump(tree).encode()).hexdigest()
    return said, sorted(name for name in names if name.startswith("authbench."))


def _statements(block: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """All statements of a block, however deep; expressions, most of a tree, are passed over."""
    for node in block:
        yield node
        for part in ("body", "handlers", "orelse", "finalbody", "cases"):
            yield from _statements(getattr(node, part, ()))


def _path(module: str) -> Path:
    place = PACKAGE.joinpath(*module.split(".")[1:])
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
