"""Check the settings of pairs for people."""

from collections.abc import Iterator

from authbench.people.verdicts import read_verdicts
from authbench.registry.checks import unreadable_file
from authbench.settings.config import Config


def people_problems(config: Config) -> Iterator[str]:
    for path in config["people"]["verdicts"]:
        yield from unreadable_file("people.verdicts", path, read_verdicts)
