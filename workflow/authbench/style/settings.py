"""Check the settings of the style suite."""

from collections.abc import Iterator
from pathlib import Path

from authbench.registry.checks import unreadable_file
from authbench.settings.config import Config


def style_problems(config: Config) -> Iterator[str]:
    yield from unreadable_file("style.clusters", config["style"]["clusters"], _read_clusters)


def _read_clusters(path: str) -> object:
    from authbench.style.redundancy import read_clusters

    return read_clusters(Path(path))
