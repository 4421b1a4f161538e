"""Find and load what installed packages add to AuthBench, by the entry points of Python (docs/plug-ins.md).

A plug-in is used only where a setting or an argument names it, and imported only then.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from authbench.errors import InputError, raised
from authbench.registry.values import did_you_mean


@dataclass(frozen=True)
class PlugIn:
    """A plug-in of an installed package.

    Attributes:
        point: what it extends: its entry point is in the group `authbench.<point>`.
        target: `module:attribute`.
        code_sha256: digest of the files of its module or, if this is in a package, of the whole package.
    """

    point: str
    name: str
    target: str
    package: str
    version: str
    code_sha256: str

    def __str__(self) -> str:
        return f"{self.package} {self.version}, code {self.code_sha256}"


def find_plugin(point: str, name: str, built_in: Collection[str] = ()) -> PlugIn:
    """Return an installed plug-in without importing it.

    Args:
        point: see PlugIn.
        name: of the entry point.
        built_in: the library's names, which a misspelt name may mean.

    Raises:
        InputError: no package, or more than 1, has this plug-in, or its module is missing.
    """
    installed = entry_points(group=f"authbench.{point}")
    found = [one for one in installed if one.name == name]
    if not found:
        known = [*built_in, *sorted(installed.names)]
        meant = did_you_mean(name, known) if known else ""
        raise InputError(f"no installed package has '{name}' in authbench.{point}{meant}")
    names = [f"{one.dist.name} {one.dist.version}" for one in found if one.dist]
    if len(names) > 1:
        raise InputError(f"{' and '.join(names)} both have '{name}' in authbench.{point}; uninstall one")
    package, version = names[0].rsplit(" ", 1)
    try:
        code = _digest(found[0].module)
    except (ImportError, ValueError, OSError) as problem:
        raise InputError(f"{name} of {names[0]}: the module {found[0].module} is missing ({problem})") from None
    return PlugIn(point, name, found[0].value, package, version, code)


def identities(point: str, names: Iterable[str]) -> dict[str, str]:
    """Return package, version and digest of each plug-in by its name. Raises InputError as `find_plugin`."""
    return {name: str(find_plugin(point, name)) for name in sorted(names)}


def plugin_problems(place: str, point: str, names: Iterable[str], built_in: Collection[str] = ()) -> Iterator[str]:
    """Yield a problem for each name in a setting that is neither built in nor a plug-in."""
    for name in names:
        if name not in built_in:
            try:
                find_plugin(point, name, built_in)
            except InputError as problem:
                yield f"{place}: {problem}"


def load_plugin(plugin: PlugIn) -> Any:
    """Return the object of a plug-in. Raises InputError if it cannot be imported."""
    try:
        return EntryPoint(plugin.name, plugin.target, plugin.point).load()
    except (Exception, SystemExit) as problem:
        raise InputError(f"{plugin.name} of {plugin.package} cannot be imported: it {raised(problem)}.") from None


def called(plugin: PlugIn, expected: str, function: Callable[..., Any], *arguments: object) -> Any:
    """Return what code of a plug-in returns.

    Raises:
        InputError: it raises; the message names it and says what was expected.
    """
    try:
        return function(*arguments)
    except (Exception, SystemExit) as problem:
        raise unusable(plugin, raised(problem), expected) from None


def unusable(plugin: PlugIn, what: str, expected: str) -> InputError:
    """Return the error of a plug-in that does not do what is expected."""
    return InputError(f"{plugin.name} of {plugin.package} {plugin.version} {what}. Expected {expected}.")


def _digest(module: str) -> str:
    """Return the SHA-256 over all files of a module's top-level package, or over its file."""
    spec = find_spec(module.partition(".")[0])
    if spec is None or not spec.origin:
        raise ImportError("not found, or a package without __init__.py")
    total, origin = hashlib.sha256(), Path(spec.origin)
    inside = sorted(origin.parent.rglob("*")) if spec.submodule_search_locations else [origin]
    for path in inside:
        if path.is_file() and "__pycache__" not in path.parts:
            name = path.relative_to(origin.parent).as_posix()
            total.update(name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()
