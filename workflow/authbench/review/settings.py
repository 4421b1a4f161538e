"""Check the settings of reviews."""

from collections.abc import Iterator
from pathlib import PurePath

from authbench.registry.checks import same_names, unreadable_file
from authbench.review.exclusions import read_verdicts
from authbench.review.summary import ALL
from authbench.settings.config import Config


def review_problems(config: Config) -> Iterator[str]:
    files = config["review"]["verdicts"]
    for path in files:
        yield from unreadable_file("review.verdicts", path, read_verdicts)
    yield from same_names("review.verdicts", "readers", [ALL, *(PurePath(path).stem for path in files)])
