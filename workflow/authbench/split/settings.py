"""Check the settings of the splits."""

from collections.abc import Iterator
from difflib import get_close_matches

from authbench.registry.checks import missing_file, unbalanced_shares
from authbench.registry.entries import Settings


def split_problems(config: Settings) -> Iterator[str]:
    split = config["split"]
    yield from unbalanced_shares("split.splits", split["splits"])
    for name in ("train", "dev", "test"):
        others = [given for given in split["splits"] if given != name]
        if name not in split["splits"] and (close := get_close_matches(name, others, 1, 0.7)):
            yield f"split.splits: '{close[0]}' looks like '{name}'"
    yield from missing_file("split.lock", split["lock"])
