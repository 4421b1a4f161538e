"""Find and load what installed packages add to AuthBench, by the entry points of Python (docs/plug-ins.md).

A plug-in is used only where a setting or an argument names it, and imported only then.
"""

import hashlib
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

from authbench.core.arrays import F64
from authbench.core.errors import InputError, raised
from authbench.core.words import did_you_mean

_REASON = re.compile("[a-z][a-z0-9_]*")
_METRIC = re.compile("[a-z][a-z0-9_-]{0,99}")


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


def plugin_names(point: str) -> set[str]:
    """Return the names of all installed plug-ins of a kind."""
    return entry_points(group=f"authbench.{point}").names


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


def called(plugin: PlugIn, expected: str, function: Callable[..., object], *arguments: object) -> Any:
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


@dataclass(frozen=True)
class TextFilter:
    """A filter of texts, which the entry point of a plug-in names.

    Attributes:
        measure: takes texts and their languages, and returns for each text a number, or None where it cannot be
            measured. A check computes it again from the released texts: it must depend on nothing else.
        drops: the texts that go: those with a number above, or below, the threshold in `filter.plugins`.
        reason: their reason in funnel and report, e.g. `shouting`.
        about: a sentence for the report on what is measured.
    """

    measure: Callable[[list[str], list[str]], Sequence[float | None]]
    drops: Literal["above", "below"]
    reason: str
    about: str


def plugin_key(name: str) -> str:
    """Return the column and key of a plug-in's numbers; a filter's setting below `filter` has this name, too."""
    return f"plugins.{name}"


def load_filter(name: str) -> tuple[PlugIn, TextFilter]:
    """Return a filter and its plug-in. Raises InputError if it is not installed or not usable."""
    plugin = find_plugin("filters", name)
    found = load_plugin(plugin)
    stated = isinstance(found, TextFilter) and isinstance(found.reason, str) and isinstance(found.about, str)
    if not (stated and found.drops in ("above", "below") and _REASON.fullmatch(found.reason)):
        expected = (
            "a TextFilter that drops `above` or `below`, with a reason of small letters, digits and underscores and a "
            "sentence on it"
        )
        raise unusable(plugin, f"is {found!r:.200}", expected)
    return plugin, found


def measured(plugin: PlugIn, one: TextFilter, texts: pl.Series, languages: pl.Series) -> pl.Series:
    """Return the numbers of a filter for texts.

    Raises:
        InputError: it fails, or does not return a finite number or None for each text.
    """
    expected = "measure(texts, languages) to return a list with a finite number or None for each text"
    numbers = _numbers(plugin, expected, one.measure, texts.to_list(), languages.to_list())
    return pl.Series(plugin_key(plugin.name), numbers, pl.Float64)


def _numbers(
    plugin: PlugIn, expected: str, function: Callable[..., object], items: Sequence[object], others: Sequence[object]
) -> list[float | None]:
    found = called(plugin, expected, function, items, others)
    try:
        numbers = [None if number is None else float(number) for number in found]
    except (Exception, SystemExit) as problem:  # of a generator, too
        raise unusable(plugin, f"returned {found!r:.200} and {raised(problem)}", expected) from None
    if len(numbers) != len(items) or not all(number is None or math.isfinite(number) for number in numbers):
        raise unusable(
            plugin, f"returned {len(numbers)} values for {len(items)}, or values that are not finite", expected
        )
    return numbers


def stated_filters(thresholds: Mapping[str, float]) -> dict[str, dict[str, str]]:
    """Return reason, side of the threshold and meaning of each filter, for the manifest."""
    found = {name: load_filter(name)[1] for name in sorted(thresholds)}
    return {name: {"reason": one.reason, "drops": one.drops, "about": one.about} for name, one in found.items()}


@dataclass(frozen=True)
class RankMetric:
    """A retrieval metric, which the entry point of a plug-in names.

    Attributes:
        measure: takes for each query the ranks of its positives (from 1, ascending) and the number of candidates, and
            returns for each query a number, where more is better, or None where it is undefined.
        about: a sentence for `scores.json` and leaderboards on what is measured.
    """

    measure: Callable[[list[np.ndarray], list[int]], Sequence[float | None]]
    about: str


Metrics = Sequence[tuple[PlugIn, RankMetric]]


def load_metric(name: str) -> tuple[PlugIn, RankMetric]:
    """Return a metric and its plug-in. Raises InputError if it is not installed or not usable."""
    plugin = find_plugin("metrics", name)
    found = load_plugin(plugin)
    if not (isinstance(found, RankMetric) and isinstance(found.about, str) and _METRIC.fullmatch(name)):
        expected = "a RankMetric with a sentence on it, and a name of small letters, digits, hyphens and underscores"
        raise unusable(plugin, f"is {found!r:.200}", expected)
    return plugin, found


def metric_values(plugin: PlugIn, one: RankMetric, ranks: list[np.ndarray], candidates: list[int]) -> F64:
    """Return a metric of each query, NaN where it is undefined.

    Raises:
        InputError: it fails, or does not return a finite number or None for each query.
    """
    expected = "measure(ranks, candidates) to return a list with a finite number or None for each query"
    return np.array(_numbers(plugin, expected, one.measure, ranks, candidates), np.float64)
