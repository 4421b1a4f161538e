"""Check the settings of the filters."""

from collections.abc import Iterator

from authbench.registry.checks import unreadable_file
from authbench.registry.entries import Settings


def filter_problems(config: Settings) -> Iterator[str]:
    filters = config["filter"]
    if filters["min_tokens"] > filters["max_tokens"]:
        yield "filter: min_tokens is larger than max_tokens"
    yield from unreadable_file("filter.exclude", filters["exclude"], _read_exclusions)


def _read_exclusions(path: str) -> object:
    from authbench.review.exclusions import read_exclusions

    return read_exclusions(path)
