"""No pattern that comes with AuthBench takes more than linear time, whatever the text."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from backtracking import growth

from authbench.config.registry.entries import read_yaml

PROJECT = Path(__file__).parents[2]
# Of texts; a path is short.
KEYS = {"drop_before", "drop_after", "drop_lines", "replace", "match", "split", "header_ends", "header", "patterns"}
LINEAR = 2.7  # times the steps, for twice the text


def patterns_of(value, key=""):
    """Yield the patterns of an entry: texts under KEYS, and the keys of mappings that say what replaces them."""
    if isinstance(value, Mapping):
        if key == "replace":
            yield from value
        for name, inner in value.items():
            yield from patterns_of(inner, "header" if key == "header" else name)
    elif isinstance(value, list):
        for inner in value:
            yield from patterns_of(inner, key)
    elif isinstance(value, str) and key in KEYS:
        yield value


def shipped_patterns():
    """Return the patterns of all entries, each once, with the first entry that has it."""
    found = {}
    for path in sorted((PROJECT / "config").glob("s*/*.yaml")):
        entry = read_yaml(path)
        for pattern in patterns_of({**entry, "reader": entry["reader"] if entry["reader"]["format"] == "text" else {}}):
            found.setdefault(pattern, path.stem)
    return found


PATTERNS = shipped_patterns()


@pytest.mark.parametrize("pattern", ["(a+)+b", r"\s+$", r"\s*//", "(?s)<!--.*?-->", "a[^,]*b[^,]*c"])
def test_patterns_that_take_more_than_linear_time_are_noticed(pattern):
    assert growth(pattern)[0] > LINEAR


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: f"{PATTERNS[pattern]}: {pattern}"[:60])
def test_a_pattern_of_an_entry_takes_linear_time(pattern):
    times, text = growth(pattern)
    assert times <= LINEAR, text
