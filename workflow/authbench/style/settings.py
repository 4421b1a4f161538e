"""Check the settings of the style suite."""

from collections.abc import Iterator

from authbench.registry.checks import missing_file
from authbench.registry.entries import Settings


def style_problems(config: Settings) -> Iterator[str]:
    yield from missing_file("style.clusters", config["style"]["clusters"])
