"""Check the settings of the filters."""

from collections.abc import Iterator
from pathlib import Path

from authbench.errors import InputError
from authbench.registry.checks import missing_file
from authbench.registry.entries import Settings


def filter_problems(config: Settings) -> Iterator[str]:
    filters = config["filter"]
    if filters["min_tokens"] > filters["max_tokens"]:
        yield "filter: min_tokens is larger than max_tokens"
    yield from missing_file("filter.exclude", filters["exclude"])
    if filters["exclude"] and Path(filters["exclude"]).is_file():
        from authbench.review.exclusions import read_exclusions

        try:
            read_exclusions(filters["exclude"])
        except InputError as problem:
            yield f"filter.exclude: {problem}"
