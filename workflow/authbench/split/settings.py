"""Check the settings of the splits."""

from collections.abc import Iterator
from difflib import get_close_matches

from authbench.dedup.settings import choose_bands
from authbench.errors import InputError
from authbench.format.names import split_problem
from authbench.format.release import read_lock
from authbench.registry.checks import unbalanced_shares, unreadable_file
from authbench.settings.config import Config

ALL = "all"  # Hugging Face's name for all splits together


def split_problems(config: Config) -> Iterator[str]:
    split = config["split"]
    yield from unbalanced_shares("split.splits", split["splits"])
    for name in ("train", "dev", "test"):
        others = [given for given in split["splits"] if given != name]
        if name not in split["splits"] and (close := get_close_matches(name, others, 1, 0.7)):
            yield f"split.splits: '{close[0]}' looks like '{name}'"
    for name in sorted(split["splits"]):
        if problem := "the name of all splits together" if name == ALL else split_problem(name):
            yield f"split.splits: '{name}' is taken ({problem}); choose another name"
    if config["evaluate"]["models"] and config["evaluate"]["split"] not in split["splits"]:
        yield (
            f"evaluate.split: '{config['evaluate']['split']}' is no split; expected one of {', '.join(split['splits'])}"
        )
    try:
        choose_bands(min(split["leak_threshold"], config["dedup"]["threshold"]))
    except InputError as problem:
        yield f"split.leak_threshold: {problem}"
    yield from unreadable_file("split.lock", split["lock"], read_lock)
