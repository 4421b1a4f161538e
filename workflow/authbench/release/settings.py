"""Check the settings of the release."""

from collections.abc import Iterator

from authbench.registry.checks import unreadable_file
from authbench.settings.config import Config


def release_problems(config: Config) -> Iterator[str]:
    yield from unreadable_file("release.takedown", config["release"]["takedown"], _read_takedown)


def _read_takedown(path: str) -> object:
    from authbench.release.takedown import read_takedown

    return read_takedown(path)
