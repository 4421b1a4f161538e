"""Check the settings of the filters."""

from collections.abc import Iterator, Mapping

from authbench.config.filter_rules import BUILT_IN
from authbench.config.languages import FILE, languages_file, read_languages
from authbench.config.plugins import load_filter
from authbench.config.registry.checks import unreadable_file
from authbench.config.settings.config import Config
from authbench.config.settings.filter import Filter
from authbench.core.errors import InputError
from authbench.core.shipped import shipped


def filter_problems(config: Config) -> Iterator[str]:
    filters = config["filter"]
    least, most = filters["min_tokens"], filters["max_tokens"]
    tasks = sorted({task for bound in (least, most) if isinstance(bound, Mapping) for task in bound} | {"default"})
    for task in tasks:
        if of_task(least, task) > of_task(most, task):
            where = "" if tasks == ["default"] else f" for the task {task}"
            yield f"filter: min_tokens is larger than max_tokens{where}"
    yield from unreadable_file("filter.exclude", filters["exclude"], _read_exclusions)
    yield from _unusable_plugins(filters)
    yield from _own_languages()


def _unusable_plugins(filters: Filter) -> Iterator[str]:
    """Yield the filters that are not installed, not usable, or have the reason of a built-in filter."""
    for name in filters["plugins"]:
        try:
            reason = load_filter(name)[1].reason
            if reason in {rule.reason for rule in BUILT_IN}:
                yield f"filter.plugins.{name}: its reason {reason} is that of a built-in filter"
        except InputError as problem:
            yield f"filter.plugins: {problem}"


def of_task(bound: int | Mapping[str, int], task: str) -> int:
    """Return a bound that may differ by task type, for this type."""
    return bound if isinstance(bound, int) else bound.get(task, bound["default"])


def _own_languages() -> Iterator[str]:
    """Yield problems of the user's table of languages."""
    path = languages_file()
    if path == shipped(FILE):
        return
    try:
        table = read_languages(path)
    except InputError as problem:
        yield str(problem)
        return
    from authbench.build.filter.language import identified_languages

    for code in sorted({code for code, language in table.items() if language.scripts} - identified_languages()):
        yield f"{path}: {code}: has scripts, but langid does not know it and would drop its texts; leave `scripts` out"


def _read_exclusions(path: str) -> object:
    from authbench.build.filter.exclusions import read_exclusions

    return read_exclusions(path)
