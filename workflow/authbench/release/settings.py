"""Check the settings of the release."""

from collections.abc import Iterator

from authbench.registry.checks import missing_file
from authbench.registry.entries import Settings


def release_problems(config: Settings) -> Iterator[str]:
    yield from missing_file("release.takedown", config["release"]["takedown"])
